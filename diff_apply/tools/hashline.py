"""Edits lines that are named by number and hash, as the first form of hashline does (pi-coding-agent 13.19.0).

A hash has eight bits, so one stale line in 256 passes.
"""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from diff_apply.tools.line_hash import line_tag
from diff_apply.tools.refusal import Cause, EditError
from diff_apply.tools.text_endings import normal

# Lines that all edits together may move; the original has no bound.
_MOST_MOVED = 2**30

Place = Literal["range", "append", "prepend"]
Content = str | Sequence[str] | None

# Possessive, so that no run of blanks is tried in all parts.
_ANCHOR = re.compile(r"\s*+[>+-]*+\s*+(\d++)\s*+#\s*+([ZPMQVRWSNKTXJBYH]{2})")
_SHOWN = re.compile(r"\s*+(?:>>>|>>)?\s*+(?:\+\s*+)?(?:\d++\s*+#\s*+|#\s*+)[ZPMQVRWSNKTXJBYH]{2}:")
_PLUS = re.compile(r"\+(?!\+)")
_ESCAPED_TABS = re.compile(r"(?:\\t)+")
_ORDER: dict[Place, int] = {"range": 0, "append": 1, "prepend": 2}


class AnchoredEdit(NamedTuple):
    """Lines at a place: `first` and `last` are anchors, "" = the end (append) or the start (prepend) of the file."""

    place: Place
    first: str
    last: str
    content: Content


class _Edit(NamedTuple):
    """An edit with line numbers from 1, 0 = none."""

    place: Place
    first: int
    last: int
    lines: tuple[str, ...]


class _Anchor(NamedTuple):
    number: int
    tag: str


def show_anchored(text: str) -> str:
    """Return a file as it is shown: each line after its number and hash."""
    lines = text.split("\n")
    return "\n".join(f"{number}#{line_tag(number, line)}:{line}" for number, line in enumerate(lines, 1))


def edit_anchored(text: str | None, edits: Sequence[AnchoredEdit]) -> str:
    """Return a file's text after all edits, None = there is none. Raises EditError.

    The anchors are those of the original; overlapping ranges are not detected.
    """
    anchors = [(_anchor(edit.first), _anchor(edit.last)) for edit in edits]
    if text is None and any(edit.first for edit in edits):
        raise EditError(Cause.FILE_MISSING, "there is no such file")
    file = normal(text or "")
    lines = file.text.split("\n")
    _check(edits, anchors, lines)
    numbered = [
        _Edit(edit.place, first.number if first else 0, last.number if last else 0, _inserted(edit))
        for edit, (first, last) in zip(edits, anchors, strict=True)
    ]
    if len(numbered) * len(lines) > _MOST_MOVED:
        raise EditError(Cause.TOO_MUCH_WORK, "so many edits of a file of so many lines take too many steps")
    for edit in _bottom_up([*dict.fromkeys(numbered)], len(lines)):
        _splice(lines, edit)
    new = "\n".join(lines)
    if new == file.text and text is not None:
        raise EditError(Cause.NO_CHANGE, "the edits change nothing")
    return file.restored(new)


def _anchor(text: str) -> _Anchor | None:
    if not text:
        return None
    match = _ANCHOR.match(text)
    if match is None or int(match[1][:9]) < 1:
        raise EditError(Cause.BAD_ANCHOR, f"{text[:80]!r} is no anchor; copy one as it is shown, such as 12#KM")
    return _Anchor(int(match[1][:9]), match[2])


def _check(
    edits: Sequence[AnchoredEdit], anchors: Sequence[tuple[_Anchor | None, _Anchor | None]], lines: Sequence[str]
) -> None:
    stale = dict[int, None]()
    for number, (edit, (first, last)) in enumerate(zip(edits, anchors, strict=True), 1):
        fresh = [_is_fresh(anchor, lines, number) for anchor in (first, last) if anchor]
        stale |= {anchor.number: None for anchor, ok in zip(filter(None, (first, last)), fresh, strict=True) if not ok}
        if edit.place == "range" and all(fresh) and first and last and first.number > last.number:
            message = f"edit {number}: its range ends at line {last.number}, before its start {first.number}"
            raise EditError(Cause.REVERSED_RANGE, message, block=number)
    if stale:
        numbers = tuple(stale)
        raise EditError(Cause.STALE_HASH, f"lines changed since they were shown: {numbers}", lines=numbers)


def _is_fresh(anchor: _Anchor, lines: Sequence[str], number: int) -> bool:
    if anchor.number > len(lines):
        message = f"edit {number}: there is no line {anchor.number}; the file has {len(lines)}"
        raise EditError(Cause.LINE_OUT_OF_RANGE, message, block=number)
    return line_tag(anchor.number, lines[anchor.number - 1]) == anchor.tag


def _inserted(edit: AnchoredEdit) -> tuple[str, ...]:
    content = edit.content
    if content is None:
        lines = []
    elif isinstance(content, str):
        lines = content.removesuffix("\n").replace("\r", "").split("\n")
    else:
        lines = list(content)
    lines = _with_tabs(_without_prefixes(lines))
    return tuple(lines) or (() if edit.place == "range" else ("",))


def _without_prefixes(lines: list[str]) -> list[str]:
    """Remove what models copy: the numbers and hashes of shown lines, or the plus signs of a diff."""
    inked = [line for line in lines if line]
    if inked and all(map(_SHOWN.match, inked)):
        return [_SHOWN.sub("", line, count=1) for line in lines]
    plus = sum(1 for line in inked if _PLUS.match(line))
    return (
        [_PLUS.sub("", line, count=1) if _PLUS.match(line) else line for line in lines]
        if 0 < len(inked) <= 2 * plus
        else lines
    )


def _with_tabs(lines: list[str]) -> list[str]:
    """Turn backslashes and t at the start of lines into tabs, unless there are tabs already."""
    if any("\t" in line for line in lines):
        return lines
    return [
        "\t" * (len(match[0]) // 2) + line[match.end() :] if (match := _ESCAPED_TABS.match(line)) else line
        for line in lines
    ]


def _bottom_up(edits: Sequence[_Edit], count: int) -> list[_Edit]:
    def key(edit: _Edit) -> tuple[int, int]:
        at_edge = count + 1 if edit.place == "append" else 0
        return -(edit.last or edit.first or at_edge), _ORDER[edit.place]

    return sorted(edits, key=key)


def _splice(lines: list[str], edit: _Edit) -> None:
    if edit.place == "range":
        lines[edit.first - 1 : edit.last] = edit.lines
    elif not edit.first and lines == [""]:
        lines[:] = edit.lines
    elif edit.place == "append":
        at = edit.first or len(lines)
        lines[at:at] = edit.lines
    else:
        at = max(edit.first - 1, 0)
        lines[at:at] = edit.lines
