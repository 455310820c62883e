"""Reads the patch language of hashline: sections of operations on numbered lines (@oh-my-pi/hashline 18.1.5).

The core of the language: blocks by syntax and the repairs of the original that come with a warning are not read.
"""

import re
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

Fault = Literal["", "orphan_row", "body_not_allowed", "empty_insert", "bad_range", "no_files"]
Kind = Literal["replace", "before", "after", "cut", "paste_before", "paste_after", "paste", "remove", "move"]

TAIL = 0
"""The line number of `$`."""

_HEADER = re.compile(r"\[([^\]#\n]+)(?:#([0-9A-Fa-f]{4}))?\]$")
_RANGE = r"(\d{1,9})(?:\s*+(?:\.=|\.\.|-)\s*+(\d{1,9}))?"
_PUT_RANGE = re.compile(rf"PUT\s++{_RANGE}\s*+(:?)(?:\s*+@(\w+))?$")
_PUT_SIDE = re.compile(r"PUT\s++([<>])(\d{1,9}|\$)\s*+(:?)(?:\s*+@(\w+))?$")
_CUT = re.compile(rf"CUT\s++{_RANGE}(?:\s*+@(\w+))?$")
_MOVE = re.compile(r"MV\s++(\S.*)$")
_ENVELOPE = ("*** Begin Patch", "*** End Patch")
_SIDES: dict[tuple[str, bool], Kind] = {
    ("<", True): "before",
    (">", True): "after",
    ("<", False): "paste_before",
    (">", False): "paste_after",
}
_WITH_ROWS = ("replace", "before", "after")


class Operation(NamedTuple):
    """What is done to lines `first` to `last` (1-based; TAIL = the last line); `name` is a cut text or a new path."""

    kind: Kind
    first: int = 0
    last: int = 0
    rows: tuple[str, ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class PatchSection:
    """The operations on one file; `tag` is what the file's shown text is known by, "" = missing."""

    path: str
    tag: str
    operations: tuple[Operation, ...] = ()


@dataclass(frozen=True, slots=True)
class LinePatch:
    """The sections of an answer, or its first fault with its 1-based line."""

    sections: tuple[PatchSection, ...] = ()
    fault: Fault = ""
    line: int = 0


class _FaultError(Exception):
    def __init__(self, fault: Fault, line: int) -> None:
        super().__init__(fault)
        self.fault = fault
        self.line = line


def read_line_patch(text: str) -> LinePatch:
    """Return the sections of a patch."""
    reading = _Reading()
    try:
        for number, line in enumerate(text.split("\n"), 1):
            reading.take(line.removesuffix("\r"), number)
        sections = reading.end()
    except _FaultError as error:
        return LinePatch((), error.fault, error.line)
    return LinePatch(sections) if sections else LinePatch((), "no_files", 1)


class _Reading:
    """The sections so far, the last of which is open, and the rows of its last operation."""

    def __init__(self) -> None:
        self.sections: list[PatchSection] = []
        self.operations: list[Operation] = []
        self.rows: list[str] = []
        self.number = 0

    def take(self, line: str, number: int) -> None:
        if header := _HEADER.match(line.strip()):
            self._close_section()
            self.sections.append(PatchSection(header[1].strip(), (header[2] or "").upper()))
        elif line.strip() in _ENVELOPE or not self.sections:
            return
        elif operation := _operation(line.strip(), number):
            self._close_operation()
            self.operations.append(operation)
            self.number = number
        else:
            self._take_row(line, number)

    def _take_row(self, line: str, number: int) -> None:
        if not line.startswith("+") and not line.strip():
            return
        if not self.operations:
            raise _FaultError("orphan_row", number)
        if self.operations[-1].kind not in _WITH_ROWS:
            raise _FaultError("body_not_allowed", number)
        self.rows.append(line.removeprefix("+"))

    def end(self) -> tuple[PatchSection, ...]:
        self._close_section()
        return tuple(self.sections)

    def _close_section(self) -> None:
        self._close_operation()
        if self.sections:
            kinds = [operation.kind for operation in self.operations]
            if "remove" in kinds and len(kinds) > 1:
                raise _FaultError("body_not_allowed", self.number)
            self.sections[-1] = replace(self.sections[-1], operations=tuple(self.operations))
        self.operations = []

    def _close_operation(self) -> None:
        if not self.operations:
            return
        last = self.operations[-1]
        if last.kind in ("before", "after") and not self.rows:
            raise _FaultError("empty_insert", self.number)
        self.operations[-1] = last._replace(rows=tuple(self.rows))
        self.rows = []


def _operation(line: str, number: int) -> Operation | None:
    if line == "REM":
        return Operation("remove")
    if match := _MOVE.match(line):
        return Operation("move", name=match[1].strip())
    if match := _PUT_SIDE.match(line):
        at = TAIL if match[2] == "$" else int(match[2])
        return Operation(_SIDES[match[1], bool(match[3])], at, at, name=match[4] or "")
    if match := _PUT_RANGE.match(line):
        return Operation("replace" if match[3] else "paste", *_range(match, number), name=match[4] or "")
    if match := _CUT.match(line):
        return Operation("cut", *_range(match, number), name=match[3] or "")
    return None


def _range(match: re.Match[str], number: int) -> tuple[int, int]:
    first, last = int(match[1]), int(match[2] or match[1])
    if last < first or first < 1:
        raise _FaultError("bad_range", number)
    return first, last
