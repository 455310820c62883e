"""Where `v4` puts a block: exactly fitting lines first, then trimmed, then similar ones, and never a guess."""

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


# What may be overlooked for lines to be equal, the least first.
_FOLDS = {_without_ends: Method.LINE_ENDS, _without_trailing: Method.TRIMMED, trim: Method.TRIMMED}


@dataclass(frozen=True, slots=True)
class Rules:
    """How similar a place must be where no line-by-line match is found; similarities as in `nearest.similarity`.

    With thresholds above 1 only equal lines match, trimmed or not.
    """

    anchor: float = 0.75
    """Least similarity of lines whose first and last equal the SEARCH's, trimmed."""
    similar: float = 0.9
    """Least similarity of other lines."""
    margin: float = 0.1
    """By how much the best place must surpass the second."""
    fewest_lines: int = 3
    """A shorter SEARCH never matches by similarity."""


class Place(NamedTuple):
    """Rows [row, row + count) of the file; `row` is -1 where the SEARCH fits exactly and offsets say it all."""

    start: int
    end: int
    method: Method
    similarity: float | None = None
    row: int = -1


def place_of(source: Source, block: Block, rules: Rules) -> Place:
    """The one place of a block's SEARCH. Raises DiffError EMPTY_SEARCH, AMBIGUOUS or NO_MATCH."""
    if not source.text and not trim(block.search.text):
        return Place(0, 0, Method.EMPTY_FILE)
    if not block.search.text:
        raise _error(block, Reason.EMPTY_SEARCH, "the SEARCH is empty, but the file is not")
    place = _exact(source, block) or _folded(source, block) or _similar(source, block, rules)
    if place is None:
        raise _no_match(source, block)
    said = block.search.newline
    if said is not None and said == (source.is_open and place.end >= len(source.text)):
        has = "no newline" if said else "a newline"
        raise _error(block, Reason.NO_MATCH, f"the lines of the SEARCH end in {has} in the file")
    return place


def _exact(source: Source, block: Block) -> Place | None:
    """The place where the SEARCH stands as whole lines, to the character."""
    needle = "\n" + block.search.text
    start = source.fenced.find(needle)
    if start < 0:
        return None
    if source.fenced.find(needle, start + 1) >= 0:
        raise _ambiguous(block, _lines(source.fenced, needle))
    return Place(start, min(start + len(needle) - 1, len(source.text)), Method.EXACT)


def _folded(source: Source, block: Block) -> Place | None:
    """The place where the lines are equal but for their ends, else for trailing white space, else for any around.

    What follows the last newline counts as an empty line.
    """
    search = block.search.rows
    # Where nothing is found with most overlooked, the stricter folds need no look.
    folds = _FOLDS if _finds(source, search, trim) else {}
    for fold, method in folds.items():
        lines = _finds(source, search, fold)
        if len(lines) > 1:
            raise _ambiguous(block, lines)
        if lines:
            return _place(source, lines[0] - 1, len(search), method)
    return None


def _finds(source: Source, search: Sequence[str], fold: Callable[[str], str]) -> list[int]:
    """The first few lines of the file where the lines stand when both are folded."""
    return _lines(source.folded(fold), "\n".join(["", *map(fold, search), ""]))


def _lines(text: str, needle: str) -> list[int]:
    """The numbers of the lines where a needle of whole lines stands in a text that starts with an LF; a few at most."""
    lines, start = list[int](), text.find(needle)
    while start >= 0 and len(lines) <= _SHOWN:
        lines.append(text.count("\n", 0, start) + 1)
        start = text.find(needle, start + 1)
    return lines


def _similar(source: Source, block: Block, rules: Rules) -> Place | None:
    """The place whose lines are similar enough, and clearly more so than any other's."""
    wanted = [trim(line) for line in block.search.rows]
    room = len(source.pieces) - (not source.is_open and bool(wanted[-1]))
    if not rules.fewest_lines <= len(wanted) <= room:
        return None
    scored = ranked(source, wanted, windows(source, wanted), room)
    if not scored:
        return None
    similarity, row = scored[0]
    last = source.trimmed[row + len(wanted) - 1]
    anchored = bool(wanted[0]) and wanted[0] == source.trimmed[row] and wanted[-1] == last
    if similarity < (rules.anchor if anchored else rules.similar):
        return None
    if len(scored) > 1 and similarity - scored[1][0] < rules.margin:
        raise _ambiguous(block, [row + 1, scored[1][1] + 1])
    return _place(source, row, len(wanted), Method.ANCHOR if anchored else Method.SIMILAR, similarity)


def _place(source: Source, row: int, count: int, method: Method, similarity: float | None = None) -> Place:
    end = min(source.starts[row + count], len(source.text))
    return Place(source.starts[row], end, method, similarity, row)


def _error(block: Block, reason: Reason, message: str) -> DiffError:
    return DiffError(reason, f"block {block.number}: {message}", block=block.number)


def _ambiguous(block: Block, lines: Sequence[int]) -> DiffError:
    shown = ", ".join(str(line) for line in lines[:_SHOWN]) + (" and more" if len(lines) > _SHOWN else "")
    message = f"the SEARCH fits several places, at lines {shown}; more lines around it would tell them apart"
    return _error(block, Reason.AMBIGUOUS, message)


def _no_match(source: Source, block: Block) -> DiffError:
    candidate = nearest_rows(source, block.search.rows)
    message = "the SEARCH matches nothing in the file"
    if candidate:
        message += (
            f"; nearest are lines {candidate.first_line}-{candidate.last_line}, {candidate.similarity:.0%} similar: "
            f"line {candidate.difference} is {candidate.found[:80]!r}, not {candidate.expected[:80]!r}"
        )
    return DiffError(Reason.NO_MATCH, f"block {block.number}: {message}", block=block.number, nearest=candidate)
