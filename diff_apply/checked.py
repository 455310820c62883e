"""Our own algorithm, `v4`: it applies a diff wholly and as it was meant, or says which block is wrong and why."""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from diff_apply.fences import Block, read_blocks
from diff_apply.lines import Source
from diff_apply.places import Place, Rules, place_of
from diff_apply.reshape import reshaped
from diff_apply.result import Applied, DiffAlgorithm, DiffError, Placed, Reason


def checked(rules: Rules) -> DiffAlgorithm:
    """The checked algorithm with these thresholds; `v4` is `checked(Rules())`."""
    return Checked(rules)


class _Edit(NamedTuple):
    """A placed block; with `opens` its last line, or the one before it, is to lose its newline."""

    placed: Placed
    opens: bool
    block: int


@dataclass(frozen=True, slots=True)
class Checked:
    """Applies blocks in any order to whole lines; no text is lost or doubled silently.

    A SEARCH that fits to the character is replaced literally; one that fits when trimmed or by similarity has its
    replacement reshaped (see `reshape`). A file keeps its final newline, or the want of one, unless a block says
    otherwise. While the diff is not final, the blocks that are complete are applied.
    """

    rules: Rules

    def __call__(self, original: str, diff: str, *, final: bool = True) -> Applied:
        """Apply the diff, wholly or not at all. Raises DiffError, by any of its reasons."""
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
        message = f"block {block.number}: the REPLACE says that no newline ends the file, but is not at its end"
        raise DiffError(Reason.MALFORMED, message, block=block.number)
    if newline is None:
        newline = not source.is_open or block.search.newline is False
    opens = at_end and not newline
    text = _replacement(source, block, place, opens=opens)
    return _Edit(Placed(place.start, place.end, text, place.method, place.similarity), opens, block.number)


def _replacement(source: Source, block: Block, place: Place, *, opens: bool) -> str:
    """The lines that go to the place, an LF after each."""
    row = place.row
    if row < 0:
        if not _is_bare_end(source, block, place):
            return block.replacement.text
        row = len(source.pieces) - 1
    search, replacement = block.search.rows, block.replacement.rows
    found = source.pieces[row : row + len(search)]
    if row + len(search) == len(source.pieces) and not source.is_open:
        # The SEARCH counts what follows the last newline as an empty line, and so may the REPLACE.
        search.pop()
        found.pop()
        if replacement and replacement[-1] in {"", "\r"}:
            replacement.pop()
    ending = _ending(source, row, len(found))
    if row + len(search) == len(source.pieces):
        found[-1] += ending
    lines = reshaped(search, replacement, found, ending)
    if opens and lines:
        lines[-1] = lines[-1].removesuffix("\r")
    return "".join(line + "\n" for line in lines)


def _is_bare_end(source: Source, block: Block, place: Place) -> bool:
    r"""Whether a block without CRs replaces just the last line, which has no newline, of a file of CRLFs."""
    return (
        source.is_open
        and place.end == len(source.text)
        and source.text.endswith("\r\n", 0, place.start)
        and "\n" not in source.text[place.start :]
        and "\r" not in block.search.text + block.replacement.text
    )


def _ending(source: Source, row: int, count: int) -> str:
    r"""How most lines of a place end, "\r" or "", before their LF; a last line without newline says nothing."""
    rows = source.pieces[row : min(row + count, len(source.pieces) - 1)] or source.pieces[max(row - 1, 0) : row]
    return "\r" if 2 * sum(piece.endswith("\r") for piece in rows) > len(rows) else ""


def _take_newline(original: str, blocks: list[Placed]) -> None:
    """Take the newline that ends the last line there is: of a block, or of the file before the blocks."""
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


def _overlap(source: Source, one: _Edit, other: _Edit) -> DiffError:
    first, last = sorted((one.block, other.block))
    line = source.line_at(other.placed.start)
    message = f"block {last}: it edits lines that block {first} edits too, from line {line} on"
    return DiffError(Reason.OVERLAP, message, block=last)
