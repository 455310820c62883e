"""Applies patches as Codex's `apply_patch` does (codex-rs/apply-patch, @openai/codex 0.169.0)."""

import posixpath
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

from diff_apply.tools.line_search import CodedLines
from diff_apply.tools.refusal import Cause, Edited, EditError, Files, changes_between

SignedLines = Sequence[tuple[str, str]]


class Chunk(Protocol):
    """One change of a file."""

    @property
    def anchor(self) -> str | None: ...  # noqa: D102 - as the parser has it
    @property
    def lines(self) -> SignedLines: ...  # noqa: D102
    @property
    def at_end(self) -> bool: ...  # noqa: D102


class FileChange(Protocol):
    """What is done to one file: "add", "delete" or "update"."""

    @property
    def operation(self) -> str: ...  # noqa: D102 - as the parser has it
    @property
    def path(self) -> str: ...  # noqa: D102
    @property
    def text(self) -> str: ...  # noqa: D102
    @property
    def chunks(self) -> Sequence[Chunk]: ...  # noqa: D102
    @property
    def move_to(self) -> str | None: ...  # noqa: D102


_PUNCTUATION = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | dict.fromkeys("\u2018\u2019\u201a\u201b", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f", '"')
    | dict.fromkeys("\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " ")
)


def _plain(line: str) -> str:
    return line.strip().translate(_PUNCTUATION)


# Each pass over all the rest of the file.
_FOLDS: tuple[Callable[[str], str], ...] = (str, str.rstrip, str.strip, _plain)


_Kept = int
"""The offset of a row that is kept, from the first row of its edit."""


class _Edit(NamedTuple):
    """Rows `start` up to `end` of a file become `lines`."""

    start: int
    end: int
    lines: list[str | _Kept]


class _Row(NamedTuple):
    """A line of a chunk, and on which sides of the change it is."""

    text: str
    old: bool
    new: bool


def apply_patch(changes: Sequence[FileChange], files: Files) -> Edited:
    """Apply changes in order until one fails; those before it stay."""
    now = dict(files)
    for number, change in enumerate(changes, 1):
        try:
            _apply(change, now)
        except EditError as error:
            error.block = number
            return Edited(changes_between(files, now), (error,))
    return Edited(changes_between(files, now))


def _apply(change: FileChange, now: dict[str, str]) -> None:
    path = posixpath.normpath(change.path)
    if change.operation == "add":
        now[path] = change.text
    elif change.operation == "delete":
        if path not in now:
            raise EditError(Cause.DELETE_FAILED, f"{path} cannot be deleted: there is no such file")
        del now[path]
    else:
        if path not in now:
            raise EditError(Cause.READ_FAILED, f"{path} cannot be updated: there is no such file")
        new = updated(now[path], change.chunks, path)
        if change.move_to is not None:
            now[posixpath.normpath(change.move_to)] = new
            del now[path]
        else:
            now[path] = new


def updated(text: str, chunks: Sequence[Chunk], path: str) -> str:
    """Return a file's text after all chunks. Raises EditError if one of them has no place."""
    file = _FileLines(text)
    cursor, edits = 0, list[_Edit]()
    for chunk in chunks:
        edit, cursor = _placed(chunk, file, cursor, path)
        edits.append(edit)
    return file.with_edits(edits)


class _FileLines:
    """The lines of a file, each with its own ending, to be searched by each fold."""

    def __init__(self, text: str) -> None:
        rows = text.split("\n")
        if not rows[-1]:
            rows.pop()
        self.texts = [row.removesuffix("\r") for row in rows]
        self.ends = ["\r\n" if row.endswith("\r") else "\n" for row in rows]
        if rows and not text.endswith("\n"):
            self.texts[-1], self.ends[-1] = rows[-1], ""
        first = next(iter(self.ends), "")
        self.ending = first or "\n"
        self._coded: dict[Callable[[str], str], CodedLines] = {}

    def find(self, expected: Sequence[str], cursor: int, *, at_end: bool = False) -> int:
        """Return where the expected lines stand from the cursor, -1 if nowhere; with `at_end` only the last place."""
        if not expected:
            return cursor
        start = len(self.texts) - len(expected) if at_end else cursor
        if start < cursor:
            return -1
        for fold in _FOLDS:
            if fold not in self._coded:
                self._coded[fold] = CodedLines(map(fold, self.texts))
            at = self._coded[fold].first([*map(fold, expected)], start)
            if at >= 0:
                return at
        return -1

    def with_edits(self, edits: Sequence[_Edit]) -> str:
        """Return the text after edits; a last line without a newline gets one."""
        out, row = list[str](), 0
        for edit in sorted(edits, key=lambda edit: edit.start):
            out += self._kept(row, edit.start)
            for line in edit.lines:
                if isinstance(line, str):
                    out.append(line + self.ending)
                else:
                    out += self._kept(edit.start + line, edit.start + line + 1)
            row = edit.end
        out += self._kept(row, len(self.texts))
        return "".join(out)

    def _kept(self, start: int, end: int) -> list[str]:
        return [
            text + (ending or self.ending)
            for text, ending in zip(self.texts[start:end], self.ends[start:end], strict=True)
        ]


def _placed(chunk: Chunk, file: _FileLines, cursor: int, path: str) -> tuple[_Edit, int]:
    """Return the edit of a chunk and the cursor after it."""
    if chunk.anchor is not None:
        at = file.find([chunk.anchor], cursor)
        if at < 0:
            raise EditError(Cause.CONTEXT_NOT_FOUND, f"{path} has no line {chunk.anchor!r} from line {cursor + 1} on")
        cursor = at + 1
    rows = [_Row(text, old=sign in " -", new=sign in " +") for sign, text in chunk.lines]
    if not any(row.old for row in rows):
        end = len(file.texts)
        return _Edit(end, end, [row.text for row in rows]), cursor
    at = file.find(_old(rows), cursor, at_end=chunk.at_end)
    if at < 0 and not _old(rows)[-1]:
        rows = _without_last_blank(rows)
        at = file.find(_old(rows), cursor, at_end=chunk.at_end)
    if at < 0:
        raise EditError(
            Cause.LINES_NOT_FOUND, f"{path} does not have these lines from line {cursor + 1} on: {_old(rows)!r}"
        )
    end = at + len(_old(rows))
    return _Edit(at, end, list(_new(rows))), end


def _old(rows: Sequence[_Row]) -> list[str]:
    return [row.text for row in rows if row.old]


def _new(rows: Sequence[_Row]) -> Iterator[str | _Kept]:
    """Yield what the rows of the file become: new text, or which of them are kept."""
    at = 0
    for row in rows:
        if row.new:
            yield at if row.old else row.text
        at += row.old


def _without_last_blank(rows: Sequence[_Row]) -> list[_Row]:
    """Remove the last old line, which is empty, and the last new one if it is; the other half of such a line stays."""
    out = list(rows)
    for side in ("old", "new"):
        at = next((at for at in range(len(out) - 1, -1, -1) if getattr(out[at], side)), None)
        if at is not None and not out[at].text:
            out[at] = _Row(out[at].text, out[at].old and side != "old", out[at].new and side != "new")
    return out
