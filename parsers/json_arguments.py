"""Reads the arguments of a tool call, a JSON object, while they arrive: each piece at the cost of its length.

The grammar is RFC 8259, as strict as vendors read it: a string holds no raw line end. Of surrogates in escapes a pair
is one character, and half a pair U+FFFD, since no file can hold it.
"""

import json
import re
from json.decoder import scanstring  # type: ignore[attr-defined]  # that of json.loads, without its other work
from typing import Literal, NamedTuple

# What needs no state: plain characters and escapes of two characters. A line ends with its escaped line end.
_RUN = re.compile(r'(?:[^"\\\x00-\x1f]+|\\["\\/bfnrt])+')
_LINE = re.compile(r'(?:[^"\\\x00-\x1f]+|\\["\\/bfrt])+(?:\\n)?|\\n')
_SPACE = " \t\n\r"
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_LOST = "\ufffd"
_HIGH, _LOW, _END = 0xD800, 0xDC00, 0xE000
_HEX = frozenset("0123456789abcdefABCDEF")

_State = Literal["start", "first key", "key", "colon", "value", "string", "other", "after", "closed", "broken"]


class Decoded(NamedTuple):
    """A piece of the string value of a member, complete at the offset `end` of the piece that was fed."""

    member: str
    text: str
    end: int


class JsonArguments:
    """One object being read. `strings` are the string members so far, the last of which may be unfinished.

    `others` are the members with other values. With `by_line` strings are reported line by line, else in longer pieces.
    """

    __slots__ = (
        "_escape",
        "_high",
        "_in_key",
        "_key",
        "_nesting",
        "_parts",
        "_state",
        "_strings",
        "by_line",
        "others",
    )

    def __init__(self) -> None:
        """Begin before the first character."""
        self.by_line = True
        self.others: set[str] = set()
        self._strings: dict[str, list[str]] = {}
        self._state: _State = "start"
        self._in_key = False
        self._key = ""
        # The characters of an escape so far, the high surrogate that waits for its low one, the parts of a key or of
        # a value that is no string, and what of the latter is open.
        self._escape = ""
        self._high = 0
        self._parts: list[str] = []
        self._nesting: list[str] = []

    @property
    def strings(self) -> dict[str, str]:
        """The string members in the order in which they began."""
        return {name: "".join(parts) for name, parts in self._strings.items()}

    @property
    def is_closed(self) -> bool:
        """Whether the object is complete."""
        return self._state == "closed"

    @property
    def in_escape(self) -> bool:
        """Whether an escape has begun."""
        return bool(self._escape)

    @property
    def is_broken(self) -> bool:
        """Whether what came is no beginning of a JSON object."""
        return self._state == "broken"

    def feed(self, piece: str) -> list[Decoded]:
        """Process the next piece; return what it adds to string members."""
        out: list[Decoded] = []
        at = 0
        while at < len(piece) and self._state != "broken":
            if self._state == "string":
                at = self._in_string(piece, at, out)
            elif self._state == "other":
                at = self._in_other(piece, at)
            else:
                self._between(piece[at])
                at += 1
        return out

    def _between(self, letter: str) -> None:
        if letter in _SPACE:
            return
        state = self._state
        if state == "value":
            self._begin_value(letter)
        elif letter == '"' and state in {"first key", "key"}:
            self._in_key, self._state = True, "string"
        else:
            self._state = _NEXT.get((state, letter), "broken")

    def _begin_value(self, letter: str) -> None:
        if letter == '"':
            self.others.discard(self._key)
            self._strings[self._key] = []
            self._in_key, self._state = False, "string"
        else:
            self._strings.pop(self._key, None)
            self.others.add(self._key)
            self._state = "other"
            self._parts = []
            self._in_other(letter, 0)

    def _in_string(self, piece: str, at: int, out: list[Decoded]) -> int:
        if self._escape:
            return self._in_escape(piece, at, out)
        run = (_LINE if self.by_line else _RUN).match(piece, at)
        if run:
            text = run[0]
            self._add(scanstring(f'{text}"', 0)[0] if "\\" in text else text, run.end(), out)
            return run.end()
        letter = piece[at]
        if letter == "\\":
            self._escape = letter
        elif letter == '"':
            self._flush(at + 1, out)
            self._close_string()
        else:
            self._state = "broken"
        return at + 1

    def _close_string(self) -> None:
        if self._in_key:
            self._key, self._parts = "".join(self._parts), []
        self._state = "colon" if self._in_key else "after"

    def _in_escape(self, piece: str, at: int, out: list[Decoded]) -> int:
        self._escape += piece[at]
        kind, digits = self._escape[1], self._escape[2:]
        if kind != "u":
            if kind in _ESCAPES:
                self._add(_ESCAPES[kind], at + 1, out)
            else:
                self._state = "broken"
            self._escape = ""
        elif not _HEX.issuperset(digits):
            self._state = "broken"
        elif len(digits) == 4:
            self._escape = ""
            self._take_unit(int(digits, 16), at + 1, out)
        return at + 1

    def _take_unit(self, unit: int, end: int, out: list[Decoded]) -> None:
        """Take a code unit of UTF-16; half a pair waits for the other half."""
        if self._high and _LOW <= unit < _END:
            high, self._high = self._high, 0
            self._add(chr(0x10000 + ((high - _HIGH) << 10) + unit - _LOW), end, out)
            return
        self._flush(end, out)
        if _HIGH <= unit < _LOW:
            self._high = unit
        else:
            self._add(_LOST if _LOW <= unit < _END else chr(unit), end, out)

    def _flush(self, end: int, out: list[Decoded]) -> None:
        """Give up waiting for the low half of a pair."""
        if self._high:
            self._high = 0
            self._add(_LOST, end, out)

    def _add(self, text: str, end: int, out: list[Decoded]) -> None:
        if self._high:
            self._flush(end, out)
        if self._in_key:
            self._parts.append(text)
        else:
            self._strings[self._key].append(text)
            out.append(Decoded(self._key, text, end))

    def _in_other(self, piece: str, at: int) -> int:
        """Take a value that is no string, up to what ends it, which is read again; it is checked as a whole."""
        start = at
        while at < len(piece):
            letter, inside = piece[at], self._nesting[-1:] or [""]
            if inside[0] in {'"', "\\"}:
                self._in_inner_string(letter)
            elif letter in "[{" or letter == '"':
                self._nesting.append(letter)
            elif not self._nesting and letter in ",}":
                self._parts.append(piece[start:at])
                self._state = "after" if _is_json("".join(self._parts)) else "broken"
                self._parts = []
                return at
            elif letter in "]}" and self._nesting:
                self._nesting.pop()
            at += 1
        self._parts.append(piece[start:at])
        return at

    def _in_inner_string(self, letter: str) -> None:
        if self._nesting[-1] == "\\" or letter == '"':
            self._nesting.pop()
        elif letter == "\\":
            self._nesting.append(letter)


_NEXT: dict[tuple[str, str], _State] = {
    ("start", "{"): "first key",
    ("first key", "}"): "closed",
    ("colon", ":"): "value",
    ("after", ","): "key",
    ("after", "}"): "closed",
}


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
