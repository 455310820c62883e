"""The algorithm `v4`: applies every block of a diff, or reports which block is wrong and why."""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from diff_apply.fences import Block, read_blocks
from diff_apply.lines import Source
from diff_apply.places import Place, Rules, place_of
from diff_apply.reshape import reshaped
from diff_apply.result import Applied, DiffAlgorithm, DiffError, Placed, Reason


def checked(rules: Rules) -> DiffAlgorithm:
    """Return the checked algorithm with these thresholds; `v4` is `checked(Rules())`."""
    return Checked(rules)


class _Edit(NamedTuple):
    """A block and its place; with `opens` its last line, or the line before it, must lose its newline."""

    placed: Placed
    opens: bool
    block: int


@dataclass(frozen=True, slots=True)
class Checked:
    """Applies blocks in any order to whole lines; never loses or duplicates text silently.

    A SEARCH that matches exactly is replaced literally. If it matches only after trimming or by similarity, the
    replacement is reshaped (see `reshape`). A file keeps its final newline, or its absence, unless a block says
    otherwise. While the diff is not final, the blocks that are complete are applied.
    """

    rules: Rules

    def __call__(self, original: str, diff: str, *, final: bool = True) -> Applied:
        """Apply all blocks of the diff or none. Raises DiffError with any of its reasons."""
        source = Source(original)
        edits = [_edit(source, block, self.rules) for block in read_blocks(diff, final=final)]
        if not edits:
            return Applied(original)
        edits.sort(key=lambda edit: edit.placed.start)
        for edit, following in pairwise(edits):
            if following.placed.start < max(edit.placed.end, edit.placed.start + 1):
                raise _overlap(source, edit, following)
        blocks = [edit.placed for edit in edits]
        if edits[-1].opens:
            _take_newline(original, blocks)
        return Applied(_spliced(original, blocks), tuple(blocks))


def _edit(source: Source, block: Block, rules: Rules) -> _Edit:
    place = place_of(source, block, rules)
    at_end = place.end == len(source.text)
    newline = block.replacement.newline
    if newline is False and not at_end:
        message = f"block {block.number}: the REPLACE is to end the file without a newline, but is not at its end"
        raise DiffError(Reason.MALFORMED, message, block=block.number)
    if newline is None:
        newline = not source.is_open or block.search.newline is False
    opens = at_end and not newline
    text = _replacement(source, block, place, opens=opens)
    placed = Placed(place.start, place.end, text, place.method, place.similarity, block.number)
    return _Edit(placed, opens, block.number)


def _replacement(source: Source, block: Block, place: Place, *, opens: bool) -> str:
    """Return the text that replaces the place: lines, each ending in LF."""
    row = place.row
    if row < 0:
        if not _is_bare_end(source, block, place):
            return block.replacement.text
        row = len(source.pieces) - 1
    search, replacement = block.search.rows, block.replacement.rows
    place_lines = source.pieces[row : row + len(search)]
    if row + len(search) == len(source.pieces) and not source.is_open:
        # The SEARCH counts what follows the last newline as an empty line, and so may the REPLACE.
        search.pop()
        place_lines.pop()
        if replacement and replacement[-1] in {"", "\r"}:
            replacement.pop()
    ending = _ending(source, row, len(place_lines))
    if row + len(search) == len(source.pieces):
        place_lines[-1] += ending
    lines = reshaped(search, replacement, place_lines, ending)
    if opens and lines:
        lines[-1] = lines[-1].removesuffix("\r")
    return "".join(line + "\n" for line in lines)


def _is_bare_end(source: Source, block: Block, place: Place) -> bool:
    r"""Return whether a block without CRs replaces only the last line, without newline, of a file with CRLFs."""
    return (
        source.is_open
        and place.end == len(source.text)
        and source.text.endswith("\r\n", 0, place.start)
        and "\n" not in source.text[place.start :]
        and "\r" not in block.search.text + block.replacement.text
    )


def _ending(source: Source, row: int, count: int) -> str:
    r"""Return what most lines of a place have before their LF, "\r" or ""; a line without LF does not count."""
    rows = source.pieces[row : min(row + count, len(source.pieces) - 1)] or source.pieces[max(row - 1, 0) : row]
    return "\r" if 2 * sum(piece.endswith("\r") for piece in rows) > len(rows) else ""


def _take_newline(original: str, blocks: list[Placed]) -> None:
    """Remove the newline of the last line that remains: of a block, or of the file before the blocks."""
    at = len(blocks) - 1
    while not blocks[at].replacement and at > 0 and blocks[at - 1].end == blocks[at].start:
        at -= 1
    last = blocks[at]
    if last.replacement:
        blocks[at] = replace(last, replacement=last.replacement[:-1])
    elif last.start:
        width = 2 if original.endswith("\r\n", 0, last.start) else 1
        blocks[at] = replace(last, start=last.start - width)


def _spliced(original: str, blocks: list[Placed]) -> str:
    pieces, position = list[str](), 0
    for block in blocks:
        pieces += original[position : block.start], block.replacement
        position = block.end
    return "".join([*pieces, original[position:]])


def _overlap(source: Source, first: _Edit, second: _Edit) -> DiffError:
    lower, higher = sorted((first.block, second.block))
    line = source.line_at(second.placed.start)
    message = f"block {higher}: it edits lines that block {lower} also edits, from line {line} on"
    return DiffError(Reason.OVERLAP, message, block=higher)
