"""Reads patches of Codex's `apply_patch` (codex-rs/apply-patch, @openai/codex 0.169.0)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_ADD, _DELETE, _UPDATE, _MOVE = "*** Add File: ", "*** Delete File: ", "*** Update File: ", "*** Move to: "
_ENVIRONMENT, _EOF = "*** Environment ID: ", "*** End of File"
_HEREDOCS = ("<<EOF", "<<'EOF'", '<<"EOF"')

Fault = Literal[
    "", "begin_marker", "end_marker", "no_files", "bad_header", "bad_line", "empty_hunk", "empty_update"
]  # fmt: skip
Operation = Literal["add", "delete", "update"]


class Chunk(NamedTuple):
    """One change: the line to look for first, None = none; its lines with their signs; whether it ends the file."""

    anchor: str | None
    lines: tuple[tuple[str, str], ...]
    at_end: bool = False


class FileChange(NamedTuple):
    """What a patch does to one file: `text` of an added one, `chunks` and the new path of an updated one."""

    operation: Operation
    path: str
    text: str = ""
    chunks: tuple[Chunk, ...] = ()
    move_to: str | None = None


@dataclass(frozen=True, slots=True)
class Patch:
    """The changes of a patch, in order; after a fault it changes nothing. `line` counts the patch's lines from 1."""

    changes: tuple[FileChange, ...] = ()
    fault: Fault = ""
    line: int = 0


class _FaultError(Exception):
    def __init__(self, fault: Fault, line: int) -> None:
        super().__init__(fault)
        self.fault = fault
        self.line = line


def read_patch(text: str) -> Patch:
    """Return what a patch changes, or its first fault."""
    try:
        return Patch(tuple(_changes(_within_markers(_lines_of(text)))))
    except _FaultError as error:
        return Patch((), error.fault, error.line)


def _lines_of(text: str) -> list[str]:
    lines = [line.removesuffix("\r") for line in text.strip().split("\n")]
    is_heredoc = len(lines) >= 4 and lines[0] in _HEREDOCS and lines[-1].endswith("EOF")
    return lines[1:-1] if is_heredoc else lines


def _within_markers(lines: list[str]) -> list[str]:
    """Return the lines between the markers; the first of them is line 2 of the patch."""
    if lines[0].strip() != _BEGIN:
        raise _FaultError("begin_marker", 1)
    if lines[-1].strip() != _END or len(lines) < 2:
        raise _FaultError("end_marker", len(lines))
    return lines[1:-1]


def _changes(lines: Sequence[str]) -> Iterator[FileChange]:
    at, begun = 0, False
    while at < len(lines):
        head = lines[at].strip()
        if not begun and head.startswith(_ENVIRONMENT):
            at += 1
        elif head.startswith(_ADD):
            stop = _headed(lines, at + 1)
            yield FileChange("add", head.removeprefix(_ADD), _added(lines, at + 1, stop))
            at = stop
        elif head.startswith(_DELETE):
            yield FileChange("delete", head.removeprefix(_DELETE))
            at += 1
        elif head.startswith(_UPDATE):
            stop = _headed(lines, at + 1)
            yield _update(lines, at, stop)
            at = stop
        else:
            raise _FaultError("bad_header", at + 2)
        begun = True
    if not begun:
        raise _FaultError("no_files", 1)


def _headed(lines: Sequence[str], at: int) -> int:
    """Return the index of the next header of a file."""
    headers = (_ADD, _DELETE, _UPDATE)
    return next((row for row in range(at, len(lines)) if lines[row].strip().startswith(headers)), len(lines))


def _added(lines: Sequence[str], at: int, stop: int) -> str:
    for row in range(at, stop):
        if not lines[row].startswith("+"):
            raise _FaultError("bad_header", row + 2)
    return "".join(f"{line[1:]}\n" for line in lines[at:stop])


def _update(lines: Sequence[str], at: int, stop: int) -> FileChange:
    path, move_to, start = lines[at].strip().removeprefix(_UPDATE), None, at + 1
    if start < stop and lines[start].strip().startswith(_MOVE):
        move_to, start = lines[start].strip().removeprefix(_MOVE), start + 1
    chunks = tuple(_chunks(lines, start, stop))
    if not chunks:
        raise _FaultError("empty_update", at + 2)
    return FileChange("update", path, chunks=chunks, move_to=move_to)


def _chunks(lines: Sequence[str], at: int, stop: int) -> Iterator[Chunk]:
    first = True
    while at < stop:
        if not lines[at].strip() and not first:
            at += 1
            continue
        anchor = None
        if lines[at].rstrip() == "@@" or lines[at].startswith("@@ "):
            anchor = lines[at][3:] if lines[at].rstrip() != "@@" else None
            at += 1
        elif not first:
            raise _FaultError("bad_line", at + 2)
        chunk, at = _chunk(lines, at, stop, anchor)
        yield chunk
        first = False


def _chunk(lines: Sequence[str], at: int, stop: int, anchor: str | None) -> tuple[Chunk, int]:
    """Return the chunk whose lines begin at an index, and the index after it."""
    body = list[tuple[str, str]]()
    while at < stop:
        line = lines[at]
        if line.strip() == _EOF:
            if not body:
                raise _FaultError("empty_hunk", at + 2)
            return Chunk(anchor, tuple(body), at_end=True), at + 1
        if line and line[0] not in " +-":
            break
        body.append((line[0], line[1:]) if line else (" ", ""))
        at += 1
    if body and (at == stop or lines[at].startswith("@@")):
        return Chunk(anchor, tuple(body)), at
    raise _FaultError("bad_line" if at < stop else "empty_hunk", at + 2)
