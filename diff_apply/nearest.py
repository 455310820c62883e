"""Finds the rows of a file most like a SEARCH that is nowhere in it, with bounded work on huge files."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from diff_apply.lines import Source, trim
from diff_apply.result import Candidate

# A line that stands in more rows than this says little about the place and is not followed to all of them.
_COMMON = 32

# So many of the likeliest windows are compared in full.
_WINDOWS = 48

# Longer lines are equal or not; an edit distance would cost more than it tells.
_LONGEST = 2000

# A window at least this similar needs no rival found by lines that are merely alike.
_CLEAR = 0.8

# Below this a window is no candidate worth naming.
_FAINT = 0.3

# Bounds of the search for lines that are merely alike: wanted lines, file lines, hits per line.
_ALIKE_WANTED, _ALIKE_LINES, _ALIKE_HITS = 6, 20_000, 4


def nearest(original: str, search: str) -> Candidate | None:
    """The rows of `original` most like the lines of `search` (an LF after each), or None if nothing is.

    Rows are compared trimmed, the similarity is that of `similarity`. Exact copies of single lines vote for windows;
    where that gives nothing clear, lines that are alike do. A SEARCH that outlasts the file differs after its end.
    """
    return nearest_rows(Source(original), search.split("\n")[:-1])


def nearest_rows(source: Source, search: Sequence[str]) -> Candidate | None:
    """As `nearest`, of lines without their LF."""
    wanted = [trim(line) for line in search]
    room = len(source.pieces) - (not source.is_open)
    scored = ranked(source, wanted, windows(source, wanted), room)
    if not scored or scored[0][0] < _CLEAR:
        scored = sorted([*scored, *ranked(source, wanted, _alike(source, wanted), room)], key=_rank)
    if not scored or scored[0][0] < _FAINT:
        return None
    best, row = scored[0]
    last = min(row + len(search), room) - 1
    pairs = list(zip_longest(search, source.pieces[row : last + 1], fillvalue=""))
    at = next((at for at, (line, there) in enumerate(pairs) if line != there), 0)
    return Candidate(row + 1, last + 1, best, row + at + 1, *pairs[at])


def windows(source: Source, wanted: Sequence[str]) -> list[int]:
    """The rows where most characters of the wanted, trimmed lines stand unchanged, likeliest first."""
    votes = Counter[int]()
    rarest: tuple[int, int] | None = None
    for offset, line in enumerate(wanted):
        rows = source.positions.get(line, ()) if line else ()
        if rows and (rarest is None or len(rows) < rarest[0]):
            rarest = len(rows), offset
        if len(rows) <= _COMMON:
            for row in rows:
                votes[row - offset] += len(line)
    if not votes and rarest:
        offset = rarest[1]
        votes.update(row - offset for row in source.positions[wanted[offset]][:_COMMON])
    return [row for row, _ in votes.most_common(_WINDOWS)]


def ranked(source: Source, wanted: Sequence[str], rows: Iterable[int], room: int) -> list[tuple[float, int]]:
    """(similarity, row) of the windows that start at the rows, the most similar first, then the first in the file.

    A row from which the first `room` rows of the file do not hold all wanted lines is moved up.
    """
    highest = max(room - len(wanted), 0)
    clamped = dict.fromkeys(min(max(row, 0), highest) for row in rows)
    return sorted(((similarity(source.trimmed[row : row + len(wanted)], wanted), row) for row in clamped), key=_rank)


def similarity(rows: Sequence[str], wanted: Sequence[str]) -> float:
    """1 - edits / length over lines paired in order: Levenshtein distance, the longer line's length; 0 to 1.

    So a long line weighs more than a brace, and what has no partner counts as wholly changed.
    """
    from rapidfuzz.distance import Levenshtein

    length = edits = 0
    for row, line in zip(rows, wanted, strict=False):
        longest = max(len(row), len(line))
        length += longest
        if row != line:
            edits += longest if longest > _LONGEST else Levenshtein.distance(row, line)
    alone = sum(len(line) for line in wanted[len(rows) :])
    return 1 - (edits + alone) / (length + alone) if length + alone else 1.0


def _rank(scored: tuple[float, int]) -> tuple[float, int]:
    return -scored[0], scored[1]


def _alike(source: Source, wanted: Sequence[str]) -> list[int]:
    """The rows suggested by lines that are like one of the longest wanted lines."""
    from rapidfuzz import fuzz, process

    lines = list(source.positions)[:_ALIKE_LINES]
    longest = sorted({line for line in wanted if 0 < len(line) <= _LONGEST}, key=len, reverse=True)[:_ALIKE_WANTED]
    return [
        row - wanted.index(line)
        for line in longest
        for like, _, _ in process.extract(line, lines, scorer=fuzz.ratio, score_cutoff=50, limit=_ALIKE_HITS)
        for row in source.positions[like][:_ALIKE_HITS]
    ]
