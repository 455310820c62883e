"""Applies patches of numbered lines to files known by a tag, as hashline's patch language does (18.1.5), its core."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from diff_apply.tools.line_hash import file_tag
from diff_apply.tools.refusal import Cause, Edited, EditError, Files, changes_between
from diff_apply.tools.text_endings import normal


class Operation(Protocol):
    """What is done to lines: 1-based numbers of the original, 0 = the last line."""

    @property
    def kind(self) -> str: ...  # noqa: D102 - as the parser has it
    @property
    def first(self) -> int: ...  # noqa: D102
    @property
    def last(self) -> int: ...  # noqa: D102
    @property
    def rows(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def name(self) -> str: ...  # noqa: D102


class PatchSection(Protocol):
    """The operations on one file."""

    @property
    def path(self) -> str: ...  # noqa: D102
    @property
    def tag(self) -> str: ...  # noqa: D102
    @property
    def operations(self) -> Sequence[Operation]: ...  # noqa: D102


class _Prepared(NamedTuple):
    """A file after its section, before anything is written; None = removed."""

    path: str
    target: str
    text: str | None


class _Splice(NamedTuple):
    """Rows `start` up to `end` (0-based) become `rows`; `order` is that of the answer."""

    start: int
    end: int
    order: int
    rows: Sequence[str]


def show_tagged(path: str, text: str) -> str:
    """Return a file as it is shown: its path and tag, then each line after its number."""
    rows = normal(text).text.split("\n")
    numbered = (f"{number}:{line}" for number, line in enumerate(rows[: _count(rows)], 1))
    return "\n".join((f"[{path}#{file_tag(normal(text).text)}]", *numbered))


def apply_sections(sections: Sequence[PatchSection], files: Files) -> Edited:
    """Apply all sections, or none of them."""
    now, cut = dict(files), dict[str, Sequence[str]]()
    try:
        prepared = [_prepared(section, files, cut) for section in sections]
    except EditError as error:
        return Edited({}, (error,))
    for path, target, text in prepared:
        if text is None or target != path:
            del now[path]
        if text is not None:
            now[target] = text
    return Edited(changes_between(files, now))


def _prepared(section: PatchSection, files: Files, cut: dict[str, Sequence[str]]) -> _Prepared:
    path = _path_of(section, files)
    file = normal(files[path])
    if file_tag(file.text) != section.tag:
        raise EditError(Cause.STALE_TAG, f"{path} has changed since it was shown with the tag {section.tag}")
    target = next((posixpath.normpath(op.name) for op in section.operations if op.kind == "move"), path)
    if target == path and any(op.kind == "move" for op in section.operations):
        raise EditError(Cause.MV_SAME, f"{path} is moved to itself")
    if any(op.kind == "remove" for op in section.operations):
        return _Prepared(path, path, None)
    rows = file.text.split("\n")
    splices = _splices(_distinct(section.operations), rows, cut)
    new = [*_spliced(rows, sorted(splices, key=_place))]
    text = "\n".join(new)
    return _Prepared(path, target, file.restored(text) if splices and text != file.text else files[path])


def _path_of(section: PatchSection, files: Files) -> str:
    path = posixpath.normpath(section.path)
    if not section.tag:
        raise EditError(Cause.TAG_MISSING, f"{path}: the header has no tag; write [{path}#TAG]")
    if path in files:
        return path
    for other, text in files.items():
        if posixpath.basename(other) == posixpath.basename(path) and file_tag(normal(text).text) == section.tag:
            return other
    raise EditError(Cause.FILE_MISSING, f"{path}: there is no such file")


def _count(rows: Sequence[str]) -> int:
    """Return how many rows there are without the empty one after a final newline."""
    return len(rows) - (len(rows) > 1 and not rows[-1])


def _distinct(operations: Sequence[Operation]) -> list[Operation]:
    """Remove those that the same range is given again after."""
    ranges = {(op.first, op.last): op for op in operations if op.kind in ("replace", "cut", "paste")}
    return [op for op in operations if op.kind not in ("replace", "cut", "paste") or ranges[op.first, op.last] is op]


def _splices(operations: Sequence[Operation], rows: Sequence[str], cut: dict[str, Sequence[str]]) -> list[_Splice]:
    """Return what operations do to rows."""
    splices, taken = list[_Splice](), dict[int, int]()
    for order, op in enumerate(operations):
        if op.kind in ("move", "remove"):
            continue
        start, end = _span(op, len(rows), _count(rows))
        for row in range(start, end):
            if taken.setdefault(row, order) != order:
                raise EditError(Cause.OVERLAP, f"line {row + 1} is in two ranges", lines=(row + 1,))
        if op.kind == "cut":
            cut[op.name] = rows[start:end]
        splices.append(_Splice(start, end, order, () if op.kind == "cut" else _new_rows(op, cut)))
    return splices


def _new_rows(op: Operation, cut: Mapping[str, Sequence[str]]) -> Sequence[str]:
    if not op.kind.startswith("paste"):
        return op.rows
    if op.name not in cut:
        raise EditError(Cause.EMPTY_INSERT, f"nothing was cut as {op.name!r}" if op.name else "nothing was cut before")
    return cut[op.name]


def _span(op: Operation, last: int, count: int) -> tuple[int, int]:
    """Return the rows of an operation, 0-based and without the end. Raises EditError.

    `last` is the last number; the empty row after a final newline has it too, but is never replaced.
    """
    behind = op.kind in ("after", "paste_after")
    if op.kind in ("replace", "cut", "paste"):
        _check(op.last, last)
        return min(op.first - 1, count), min(op.last, count)
    if not op.first:
        return (count, count) if behind else (count - 1, count - 1)
    _check(op.first, last)
    at = op.first if behind else op.first - 1
    return at, at


def _check(line: int, count: int) -> None:
    if line > count:
        raise EditError(Cause.LINE_OUT_OF_RANGE, f"there is no line {line}; the file has {count}", lines=(line,))


def _place(splice: _Splice) -> tuple[int, bool, int]:
    """Sort insertions before a replacement of the same row, and otherwise as they are given."""
    return splice.start, splice.end > splice.start, splice.order


def _spliced(rows: Sequence[str], splices: Sequence[_Splice]) -> Iterator[str]:
    at = 0
    for splice in splices:
        yield from rows[at : splice.start]
        yield from splice.rows
        at = max(at, splice.end)
    yield from rows[at:]
