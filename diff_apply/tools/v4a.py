"""Applies the diff of one file as OpenAI's agents SDK does (`agents/apply_diff.py`, openai-agents 0.10.5)."""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Protocol

from diff_apply.tools.line_search import CodedLines
from diff_apply.tools.refusal import Cause, EditError

Change = tuple[int, Sequence[str], Sequence[str]]
"""An offset in the old lines of a section, the lines removed there and those added."""


class Section(Protocol):
    """Old lines that stand together, and their changes."""

    @property
    def anchor(self) -> str: ...  # noqa: D102 - as the parser has it
    @property
    def opened(self) -> bool: ...  # noqa: D102
    @property
    def old(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def changes(self) -> Sequence[Change]: ...  # noqa: D102
    @property
    def at_end(self) -> bool: ...  # noqa: D102
    @property
    def fault(self) -> str: ...  # noqa: D102


_FOLDS: tuple[Callable[[str], str], ...] = (str, str.rstrip, str.strip)


def newline_of(text: str) -> str:
    """Return CRLF if a text has any, else LF."""
    return "\r\n" if "\r\n" in text else "\n"


def apply_sections(text: str, sections: Sequence[Section], newline: str) -> str:
    """Return a text after all sections, every line ending in `newline`. Raises EditError."""
    file = _FileLines(text.replace("\r\n", "\n").split("\n"))
    cursor, edits = 0, list[Change]()
    for number, section in enumerate(sections, 1):
        if not section.opened and cursor:
            raise EditError(Cause.BAD_LINE, f"section {number}: it does not begin with @@", block=number)
        if section.anchor.strip():
            cursor = file.after_anchor(section.anchor, cursor)
        if section.fault:
            raise EditError(Cause(section.fault), f"section {number}: it is not readable", block=number)
        at = file.find(section, cursor)
        if at < 0:
            cause = Cause.EOF_CONTEXT if section.at_end else Cause.CONTEXT
            raise EditError(cause, f"section {number}: its lines are not after line {cursor}", block=number)
        cursor = at + len(section.old)
        edits += ((at + offset, removed, added) for offset, removed, added in section.changes)
    return newline.join(_spliced(file.lines, edits))


class _FileLines:
    """The lines of a file, to be searched by each fold."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self._coded: dict[Callable[[str], str], CodedLines] = {}
        self._firsts: dict[Callable[[str], str], dict[str, int]] = {}

    def after_anchor(self, anchor: str, cursor: int) -> int:
        """Return the index after the first line that is the anchor, unless the cursor is past it; else the cursor."""
        for fold in (str, str.strip):
            if fold not in self._firsts:
                folded = [fold(line) for line in self.lines]
                self._firsts[fold] = {line: at for at, line in reversed([*enumerate(folded)])}
            first = self._firsts[fold].get(fold(anchor), -1)
            if first >= cursor:
                return first + 1
        return cursor

    def find(self, section: Section, cursor: int) -> int:
        """Return where the old lines of a section stand, -1 if nowhere; those of the end are looked for there first."""
        if not section.old:
            return max(0, len(self.lines)) if section.at_end else cursor
        if section.at_end:
            at = self._first(section.old, max(0, len(self.lines) - len(section.old)))
            if at >= 0:
                return at
        return self._first(section.old, cursor)

    def _first(self, expected: Sequence[str], start: int) -> int:
        for fold in _FOLDS:
            if fold not in self._coded:
                self._coded[fold] = CodedLines(map(fold, self.lines))
            at = self._coded[fold].first([*map(fold, expected)], start)
            if at >= 0:
                return at
        return -1


def _spliced(lines: Sequence[str], edits: Sequence[Change]) -> list[str]:
    out, row = list[Sequence[str]](), 0
    for at, removed, added in edits:
        if at < row:
            raise EditError(Cause.OVERLAP, f"two changes overlap at line {at + 1}")
        out += (lines[row:at], added)
        row = at + len(removed)
    return [*chain.from_iterable(out), *lines[row:]]
