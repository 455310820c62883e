"""Finds the place of a block for `v4`: exact lines first, then trimmed, then similar ones; never a guess."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from diff_apply.fences import Block
from diff_apply.lines import BLANKS, Source, trim
from diff_apply.nearest import nearest_rows, ranked, windows
from diff_apply.result import DiffError, Method, Reason

# Places named in an error message.
_SHOWN = 3


def _without_ends(line: str) -> str:
    return line.removesuffix("\r")


def _without_trailing(line: str) -> str:
    return line.rstrip(BLANKS)


# The differences that are ignored when comparing lines, the fewest first.
_FOLDS = {_without_ends: Method.LINE_ENDS, _without_trailing: Method.TRIMMED, trim: Method.TRIMMED}


@dataclass(frozen=True, slots=True)
class Rules:
    """The similarity that a place needs if no place has equal lines; see `nearest.similarity`.

    With thresholds above 1 only equal lines match, trimmed or not.
    """

    anchor: float = 0.75
    """Minimum similarity of lines of which the first and the last, trimmed, equal those of the SEARCH."""
    similar: float = 0.9
    """Minimum similarity of other lines."""
    margin: float = 0.1
    """Minimum difference between the best place and the second best."""
    fewest_lines: int = 3
    """Minimum lines of a SEARCH that may match by similarity."""


class Place(NamedTuple):
    """Where a SEARCH matches; `row` is the first row, -1 for an exact match, which needs only the offsets."""

    start: int
    end: int
    method: Method
    similarity: float | None = None
    row: int = -1


def place_of(source: Source, block: Block, rules: Rules) -> Place:
    """Return the only place of a block's SEARCH. Raises DiffError EMPTY_SEARCH, AMBIGUOUS or NO_MATCH."""
    if not source.text and not trim(block.search.text):
        return Place(0, 0, Method.EMPTY_FILE)
    if not block.search.text:
        raise _error(block, Reason.EMPTY_SEARCH, "the SEARCH is empty, but the file is not")
    place = _exact(source, block) or _folded(source, block) or _similar(source, block, rules)
    if place is None:
        raise _no_match(source, block)
    expects_newline = block.search.newline
    if expects_newline is not None and expects_newline == (source.is_open and place.end >= len(source.text)):
        has = "no newline" if expects_newline else "a newline"
        raise _error(block, Reason.NO_MATCH, f"the lines of the SEARCH end with {has} in the file")
    return place


def _exact(source: Source, block: Block) -> Place | None:
    """Return the place where the SEARCH matches whole lines exactly."""
    needle = "\n" + block.search.text
    start = source.fenced.find(needle)
    if start < 0:
        return None
    if source.fenced.find(needle, start + 1) >= 0:
        raise _ambiguous(block, _lines(source.fenced, needle))
    return Place(start, min(start + len(needle) - 1, len(source.text)), Method.EXACT)


def _folded(source: Source, block: Block) -> Place | None:
    """Return the place where the lines are equal except for line ends, else trailing, else surrounding white space.

    The text after the last newline counts as an empty line.
    """
    search = block.search.rows
    # If the most tolerant fold matches nothing, the stricter ones cannot match.
    folds = _FOLDS if _finds(source, search, trim) else {}
    for fold, method in folds.items():
        lines = _finds(source, search, fold)
        if len(lines) > 1:
            raise _ambiguous(block, lines)
        if lines:
            return _place(source, lines[0] - 1, len(search), method)
    return None


def _finds(source: Source, search: Sequence[str], fold: Callable[[str], str]) -> list[int]:
    """Return the first few line numbers where the lines occur when both are folded."""
    return _lines(source.folded(fold), "\n".join(["", *map(fold, search), ""]))


def _lines(text: str, needle: str) -> list[int]:
    """Return the first few line numbers of a needle of whole lines in a text that starts with an LF."""
    lines, start = list[int](), text.find(needle)
    while start >= 0 and len(lines) <= _SHOWN:
        lines.append(text.count("\n", 0, start) + 1)
        start = text.find(needle, start + 1)
    return lines


def _similar(source: Source, block: Block, rules: Rules) -> Place | None:
    """Return the place whose lines are similar enough, and clearly more similar than those of any other place."""
    expected = [trim(line) for line in block.search.rows]
    room = len(source.pieces) - (not source.is_open and bool(expected[-1]))
    if not rules.fewest_lines <= len(expected) <= room:
        return None
    scored = ranked(source, expected, windows(source, expected), room)
    if not scored:
        return None
    similarity, row = scored[0]
    last = source.trimmed[row + len(expected) - 1]
    anchored = bool(expected[0]) and expected[0] == source.trimmed[row] and expected[-1] == last
    if similarity < (rules.anchor if anchored else rules.similar):
        return None
    if len(scored) > 1 and similarity - scored[1][0] < rules.margin:
        raise _ambiguous(block, [row + 1, scored[1][1] + 1])
    return _place(source, row, len(expected), Method.ANCHOR if anchored else Method.SIMILAR, similarity)


def _place(source: Source, row: int, count: int, method: Method, similarity: float | None = None) -> Place:
    end = min(source.starts[row + count], len(source.text))
    return Place(source.starts[row], end, method, similarity, row)


def _error(block: Block, reason: Reason, message: str) -> DiffError:
    return DiffError(reason, f"block {block.number}: {message}", block=block.number)


def _ambiguous(block: Block, lines: Sequence[int]) -> DiffError:
    numbers = ", ".join(str(line) for line in lines[:_SHOWN]) + (" and more" if len(lines) > _SHOWN else "")
    message = f"the SEARCH matches several places, at lines {numbers}; add lines around it to make it unique"
    return _error(block, Reason.AMBIGUOUS, message)


def _no_match(source: Source, block: Block) -> DiffError:
    candidate = nearest_rows(source, block.search.rows)
    message = "the SEARCH matches nothing in the file"
    if candidate:
        message += (
            f"; nearest are lines {candidate.first_line}-{candidate.last_line}, {candidate.similarity:.0%} similar: "
            f"line {candidate.difference} is {candidate.actual[:80]!r}, not {candidate.expected[:80]!r}"
        )
    return DiffError(Reason.NO_MATCH, f"block {block.number}: {message}", block=block.number, nearest=candidate)
