"""Edits and shows a file as the reference of Anthropic's text editor does (`EditTool20250429`, 44c2b5c97d).

Any edit turns the tabs of the whole file into blanks and its line ends into LF.
"""

from dataclasses import dataclass

from diff_apply.tools.aider_files import universal
from diff_apply.tools.refusal import Cause, EditError

_AROUND = 4
COMMANDS = ("view", "create", "str_replace", "insert")


@dataclass(frozen=True, slots=True)
class EditorCall:
    """The arguments of a call; None = missing."""

    command: str
    path: str
    old_str: str | None = None
    new_str: str | None = None
    insert_line: int | None = None
    file_text: str | None = None
    view_range: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class EditorResult:
    """The file's new text, None if it stays, and the numbered lines that go back."""

    text: str | None
    display: tuple[str, ...] = ()


def edit_file(call: EditorCall, text: str | None) -> EditorResult:
    """Return what a call makes of a file, None = there is none. Raises EditError."""
    if text is None and call.command != "create":
        raise EditError(Cause.PATH_MISSING, f"{call.path}: there is no such file")
    if text is not None and call.command == "create":
        raise EditError(Cause.EXISTS, f"{call.path}: it exists, and `create` does not overwrite")
    match call.command:
        case "view":
            return EditorResult(None, _view(call, universal(text or "")))
        case "create":
            return EditorResult(_needed(call.file_text, "file_text", call))
        case "str_replace":
            return _replace(call, universal(text or "").expandtabs())
        case "insert":
            return _insert(call, universal(text or "").expandtabs())
        case other:
            raise EditError(Cause.UNKNOWN_COMMAND, f"{other!r} is no command; use {', '.join(COMMANDS)}")


def numbered(lines: list[str], first: int = 1) -> tuple[str, ...]:
    """Return lines as they are displayed: a number of six places, a tab, the line."""
    return tuple(f"{number:6}\t{line}" for number, line in enumerate("\n".join(lines).expandtabs().split("\n"), first))


def _needed(value: str | None, name: str, call: EditorCall) -> str:
    if value is None:
        raise EditError(Cause.MISSING_PARAM, f"`{call.command}` needs `{name}`")
    return value


def _view(call: EditorCall, text: str) -> tuple[str, ...]:
    lines = text.split("\n")
    if call.view_range is None:
        return numbered(lines)
    if len(call.view_range) != 2:
        raise EditError(Cause.BAD_RANGE, "`view_range` takes two whole numbers")
    first, last = call.view_range
    if not 1 <= first <= len(lines) or last > len(lines) or (last != -1 and last < first):
        raise EditError(Cause.BAD_RANGE, f"`view_range` is {first} to {last}; the file has lines 1 to {len(lines)}")
    return numbered(lines[first - 1 :] if last == -1 else lines[first - 1 : last], first)


def _replace(call: EditorCall, text: str) -> EditorResult:
    old = _needed(call.old_str, "old_str", call).expandtabs()
    new = (call.new_str or "").expandtabs()
    count = text.count(old)
    if not count:
        raise EditError(Cause.NOT_FOUND, f"`old_str` is not in {call.path}")
    if count > 1:
        lines = tuple(number for number, line in enumerate(text.split("\n"), 1) if old in line)
        raise EditError(Cause.NOT_UNIQUE, f"`old_str` is {count} times in {call.path}", lines=lines)
    edited = text.replace(old, new)
    row = text[: text.index(old)].count("\n")
    start = max(0, row - _AROUND)
    display = edited.split("\n")[start : row + _AROUND + new.count("\n") + 1]
    return EditorResult(edited, numbered(display, start + 1))


def _insert(call: EditorCall, text: str) -> EditorResult:
    if call.insert_line is None:
        raise EditError(Cause.MISSING_PARAM, "`insert` needs `insert_line`")
    new = _needed(call.new_str, "insert_text", call).expandtabs().split("\n")
    lines, at = text.split("\n"), call.insert_line
    if not 0 <= at <= len(lines):
        raise EditError(Cause.BAD_INSERT_LINE, f"`insert_line` is {at}; the file has lines 0 to {len(lines)}")
    start = max(0, at - _AROUND)
    display = [*lines[start:at], *new, *lines[at : at + _AROUND]]
    return EditorResult("\n".join([*lines[:at], *new, *lines[at:]]), numbered(display, start + 1))
