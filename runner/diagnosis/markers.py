"""Reads the blocks of a diff as a tool could that forgives malformed markers."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from diff_apply.fences import MARKER, Block, Section, read_blocks
from diff_apply.markers import Mark
from diff_apply.result import DiffError

# Lines that were meant as markers: the word or the run of characters says so, whatever stands around.
_START = re.compile(r"\s*(?:[-<]{2,}\s*SEARCH.*|<{5,}\s*(?:ORIGINAL|HEAD|BEFORE)?\s*)", re.IGNORECASE)
_SEPARATOR = re.compile(r"\s*={5,}\s*")
_END = re.compile(r"\s*(?:[+>]{2,}\s*REPLACE.*|>{5,}\s*(?:UPDATED|AFTER)?\s*|\+{5,}\s*)", re.IGNORECASE)
_CANONICAL = {"------- SEARCH", "=======", "+++++++ REPLACE"}
_MOST_MARKERS = 12


class LenientRead(NamedTuple):
    """The blocks of a diff; `repaired` says that they were read only by forgiving malformed markers."""

    blocks: tuple[Block, ...]
    repaired: bool


def read_leniently(diff: str) -> LenientRead | None:
    """Return the blocks of a diff, None where no separator or start marker separates SEARCH from REPLACE."""
    try:
        return LenientRead(tuple(read_blocks(diff)), repaired=False)
    except DiffError:
        blocks = _repaired(diff)
        return LenientRead(tuple(blocks), repaired=True) if blocks else None


def unusual_markers(diff: str) -> list[tuple[Mark, str]]:
    """Return the marker lines of a diff that are not the standard ones, each once, the first few."""
    kinds = (Mark.START, Mark.SEPARATOR, Mark.END)
    lines = {
        match.group(): kinds[(match.lastindex or 1) - 1]
        for match in MARKER.finditer(diff)
        if match.group() not in _CANONICAL
    }
    return [(mark, line) for line, mark in lines.items()][:_MOST_MARKERS]


def _repaired(diff: str) -> list[Block] | None:
    """Return the blocks if open blocks are closed and repeated markers skipped; None where that is not enough."""
    repair = _Repair()
    for mark, line in _marked(diff):
        if not repair.take(mark, line):
            return None
    return repair.blocks if repair.close() else None


class _Repair:
    """The state between two lines: `inside` is the marker that opened the present section, END outside of blocks."""

    __slots__ = ("blocks", "inside", "replacement", "search")

    def __init__(self) -> None:
        self.blocks = list[Block]()
        self.inside = Mark.END
        self.search, self.replacement = list[str](), list[str]()

    def take(self, mark: Mark | None, line: str) -> bool:
        """Process a line; returns whether the diff can still be read."""
        if mark is None:
            self._text(line)
            return True
        if mark is Mark.START:
            closed = self.close()
            self.inside = mark
            return closed
        if self.inside is Mark.END:
            # A marker outside of blocks is passed over.
            return True
        if mark is Mark.END:
            return self.inside is Mark.SEPARATOR and self.close()
        # A separator that is repeated at once is skipped; further down it may be text.
        readable = self.inside is Mark.START or not self.replacement
        self.inside = mark
        return readable

    def _text(self, line: str) -> None:
        if self.inside is Mark.START:
            self.search.append(line)
        elif self.inside is Mark.SEPARATOR:
            self.replacement.append(line)

    def close(self) -> bool:
        """End the open block, if there is one; returns whether it has both sections, or a repeated start marker."""
        if self.inside is Mark.START and self.search:
            return False
        if self.inside is Mark.SEPARATOR:
            sections = ("".join(f"{line}\n" for line in lines) for lines in (self.search, self.replacement))
            self.blocks.append(Block(len(self.blocks) + 1, *map(Section, sections)))
        self.inside = Mark.END
        self.search, self.replacement = [], []
        return True


def _marked(diff: str) -> Iterator[tuple[Mark | None, str]]:
    for line in diff.removesuffix("\n").split("\n"):
        if _START.fullmatch(line):
            yield Mark.START, line
        elif _SEPARATOR.fullmatch(line):
            yield Mark.SEPARATOR, line
        else:
            yield (Mark.END if _END.fullmatch(line) else None), line
