"""Reads the diff of one file that OpenAI's agents SDK applies (`agents/apply_diff.py`, openai-agents 0.10.5)."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

_EOF = "*** End of File"
_TERMINATORS = ("*** End Patch", "*** Update File:", "*** Delete File:", "*** Add File:")
_ENDS = (*_TERMINATORS, _EOF)

Fault = Literal["", "bad_line", "empty_section"]


class Change(NamedTuple):
    """Lines that are replaced by others, at an offset in the old lines of their section."""

    offset: int
    removed: tuple[str, ...]
    added: tuple[str, ...]


class Section(NamedTuple):
    """Old lines that stand together, and their changes; nothing after a fault is read.

    `anchor` is the line to look for first, "" = none; `opened` says whether a line of at signs began the section, and
    `at_end` whether it ends the file.
    """

    anchor: str
    opened: bool
    old: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    at_end: bool = False
    fault: Fault = ""


def diff_lines(diff: str) -> list[str]:
    """Return the lines of a diff; an empty last one does not count."""
    lines = re.split(r"\r?\n", diff)
    if not lines[-1]:
        lines.pop()
    return lines


def read_sections(diff: str) -> tuple[Section, ...]:
    """Return the sections of a diff up to the first fault."""
    return tuple(_sections([*diff_lines(diff), _TERMINATORS[0]]))


def read_new_file(diff: str) -> tuple[str, ...] | None:
    """Return the lines of a new file; None if a line does not begin with a plus sign."""
    lines = list[str]()
    for line in diff_lines(diff):
        if line.startswith(_TERMINATORS):
            break
        if not line.startswith("+"):
            return None
        lines.append(line[1:])
    return tuple(lines)


def _sections(lines: Sequence[str]) -> Iterator[Section]:
    at = 0
    while at < len(lines) and not lines[at].startswith(_ENDS):
        anchor = ""
        if lines[at].startswith("@@ "):
            anchor, at = lines[at][3:], at + 1
        is_bare = not anchor and at < len(lines) and lines[at] == "@@"
        section, at = _section(lines, at + is_bare, Section(anchor, bool(anchor) or is_bare))
        yield section
        if section.fault:
            return


def _section(lines: Sequence[str], start: int, section: Section) -> tuple[Section, int]:
    """Return the section whose lines begin at an index, and the index after it."""
    reading, at = _Reading(), start
    while at < len(lines) and not lines[at].startswith(("@@", *_ENDS)) and lines[at] != "***":
        if not reading.take(lines[at] or " "):
            return section._replace(fault="bad_line"), at
        at += 1
    reading.settle()
    at_end = at < len(lines) and lines[at] == _EOF
    if at == start and not at_end:
        return section._replace(fault="empty_section"), at
    whole = section._replace(old=tuple(reading.old), changes=tuple(reading.changes), at_end=at_end)
    return whole, at + at_end


class _Reading:
    """The old lines and the changes of a section so far."""

    def __init__(self) -> None:
        self.old: list[str] = []
        self.changes: list[Change] = []
        self._removed: list[str] = []
        self._added: list[str] = []

    def take(self, line: str) -> bool:
        """Take a line; return whether it is one of a section."""
        sign, text = line[0], line[1:]
        if sign not in "+- ":
            return False
        if sign == " ":
            self.settle()
        if sign == "-":
            self._removed.append(text)
        if sign == "+":
            self._added.append(text)
        else:
            self.old.append(text)
        return True

    def settle(self) -> None:
        """End the change that is being read, if there is one."""
        if self._removed or self._added:
            offset = len(self.old) - len(self._removed)
            self.changes.append(Change(offset, tuple(self._removed), tuple(self._added)))
            self._removed, self._added = [], []
