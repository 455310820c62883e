"""Finds the rows of a file that are most similar to a SEARCH without a match, with bounded work on huge files."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from diff_apply.lines import Source, trim
from diff_apply.result import Candidate

# A line that occurs in more rows than this says little about the place; not all of its rows are looked at.
_COMMON = 32

# The number of windows that are compared in full, the most likely ones.
_WINDOWS = 48

# Longer lines count as equal or different; their edit distance would cost too much.
_LONGEST = 2000

# With a window at least this similar, similar lines are not searched for more windows.
_CLEAR = 0.8

# A window less similar than this is not reported.
_FAINT = 0.3

# Bounds of the search for similar lines: wanted lines, file lines, hits per line.
_ALIKE_WANTED, _ALIKE_LINES, _ALIKE_HITS = 6, 20_000, 4


def nearest(original: str, search: str) -> Candidate | None:
    """Return the rows of `original` most similar to the lines of `search` (each ending in LF), None if none are.

    Rows are compared trimmed, the similarity is that of `similarity`. Exact copies of single lines vote for windows;
    if no window is clearly similar, similar lines vote too. A SEARCH longer than the file differs after its end.
    """
    return nearest_rows(Source(original), search.split("\n")[:-1])


def nearest_rows(source: Source, search: Sequence[str]) -> Candidate | None:
    """Do the same as `nearest`, for lines without their LF."""
    expected = [trim(line) for line in search]
    room = len(source.pieces) - (not source.is_open)
    scored = ranked(source, expected, windows(source, expected), room)
    if not scored or scored[0][0] < _CLEAR:
        scored = sorted([*scored, *ranked(source, expected, _alike(source, expected), room)], key=_rank)
    if not scored or scored[0][0] < _FAINT:
        return None
    best, row = scored[0]
    last = min(row + len(search), room) - 1
    pairs = list(zip_longest(search, source.pieces[row : last + 1], fillvalue=""))
    at = next((at for at, (line, actual) in enumerate(pairs) if line != actual), 0)
    return Candidate(row + 1, last + 1, best, row + at + 1, *pairs[at])


def windows(source: Source, expected: Sequence[str]) -> list[int]:
    """Return the rows where most characters of the wanted, trimmed lines occur unchanged, the most likely first."""
    votes = Counter[int]()
    rarest: tuple[int, int] | None = None
    for offset, line in enumerate(expected):
        rows = source.positions.get(line, ()) if line else ()
        if rows and (rarest is None or len(rows) < rarest[0]):
            rarest = len(rows), offset
        if len(rows) <= _COMMON:
            for row in rows:
                votes[row - offset] += len(line)
    if not votes and rarest:
        offset = rarest[1]
        votes.update(row - offset for row in source.positions[expected[offset]][:_COMMON])
    return [row for row, _ in votes.most_common(_WINDOWS)]


def ranked(source: Source, expected: Sequence[str], rows: Iterable[int], room: int) -> list[tuple[float, int]]:
    """Return (similarity, row) of the windows that start at the rows, by similarity, then by position.

    A row from which the first `room` rows of the file do not hold all wanted lines is moved up.
    """
    highest = max(room - len(expected), 0)
    clamped = dict.fromkeys(min(max(row, 0), highest) for row in rows)
    return sorted(
        ((similarity(source.trimmed[row : row + len(expected)], expected), row) for row in clamped), key=_rank
    )


def similarity(rows: Sequence[str], expected: Sequence[str]) -> float:
    """1 - edits / length over lines paired in order: Levenshtein distance, the longer line's length; 0 to 1.

    So a long line weighs more than a brace, and a line without a partner counts as entirely changed.
    """
    from rapidfuzz.distance import Levenshtein

    length = edits = 0
    for row, line in zip(rows, expected, strict=False):
        longest = max(len(row), len(line))
        length += longest
        if row != line:
            edits += longest if longest > _LONGEST else Levenshtein.distance(row, line)
    alone = sum(len(line) for line in expected[len(rows) :])
    return 1 - (edits + alone) / (length + alone) if length + alone else 1.0


def _rank(scored: tuple[float, int]) -> tuple[float, int]:
    return -scored[0], scored[1]


def _alike(source: Source, expected: Sequence[str]) -> list[int]:
    """Return the rows suggested by lines that are similar to one of the longest wanted lines."""
    from rapidfuzz import fuzz, process

    lines = list(source.positions)[:_ALIKE_LINES]
    longest = sorted({line for line in expected if 0 < len(line) <= _LONGEST}, key=len, reverse=True)[:_ALIKE_WANTED]
    return [
        row - expected.index(line)
        for line in longest
        for like, _, _ in process.extract(line, lines, scorer=fuzz.ratio, score_cutoff=50, limit=_ALIKE_HITS)
        for row in source.positions[like][:_ALIKE_HITS]
    ]
