"""Watches the JSON arguments of an edit while they arrive: where its first replacement line and its end are complete.

Nothing is validated: what is no JSON has the marks that its brackets and quotes would give it.
"""

import re
from collections.abc import Collection, Sequence

_PLAIN = re.compile(r'[^"\\\n]+')
_BETWEEN = re.compile(r'[^"{}\[\]:,]+')
_SHORT = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_HEX = frozenset("0123456789abcdefABCDEF")
_UNIT_LENGTH = 6


class ArgumentMarks:
    """One object being read. `first_line` and `closed` are the positions behind these, None until they are reached.

    `lines` are patterns of whole lines, found one after the other in the values of these names, at any depth; the line
    that the last one matches is the first replacement line. It is complete with its line end or the end of its value;
    where there is none, with the end of the object.
    """

    __slots__ = (
        "_at_key",
        "_begin",
        "_escape",
        "_in_string",
        "_is_watched",
        "_keys",
        "_kinds",
        "_line",
        "_lines",
        "_names",
        "_text",
        "closed",
        "first_line",
    )

    def __init__(self, names: Collection[str], lines: Sequence[re.Pattern[str]]) -> None:
        """Begin before the first character."""
        self._names = names
        self._lines = list(lines)
        self._begin = 0
        # The brackets that are open, and for each the name whose value is being read.
        self._kinds: list[str] = []
        self._keys: list[str] = []
        self._at_key = False
        # The string that is open: its text if it is a key, its line if it is watched, an escape that is open in it.
        self._in_string = False
        self._is_watched = False
        self._text: list[str] = []
        self._line: list[str] = []
        self._escape = ""
        self.first_line: int | None = None
        self.closed: int | None = None

    def feed(self, piece: str, begin: int) -> None:
        """Process the next piece, which begins at a position; costs O(piece). Behind the end nothing is read."""
        at, self._begin = 0, begin
        while at < len(piece) and self.closed is None:
            at = self._string(piece, at) if self._in_string else self._between(piece, at)

    def _between(self, piece: str, at: int) -> int:
        gap = _BETWEEN.match(piece, at)
        if gap:
            return gap.end()
        letter = piece[at]
        if letter == '"':
            self._in_string, self._text = True, []
            self._is_watched = not self._at_key and bool(self._keys) and self._keys[-1] in self._names
        elif letter == ":" and self._keys:
            self._keys[-1], self._at_key = "".join(self._text), False
        elif letter == ",":
            self._at_key = self._kinds[-1:] == ["{"]
        elif letter in "{[":
            self._open(letter)
        elif letter in "}]":
            self._close(self._begin + at + 1)
        return at + 1

    def _open(self, letter: str) -> None:
        """Begin an object, or a list, whose items belong to the name of the list."""
        self._keys.append("" if letter == "{" or not self._keys else self._keys[-1])
        self._kinds.append(letter)
        self._at_key = letter == "{"

    def _close(self, end: int) -> None:
        if self._kinds:
            self._kinds.pop()
            self._keys.pop()
        self._at_key = False
        if not self._kinds:
            self.closed = end
            self.first_line = self.first_line or end

    def _string(self, piece: str, at: int) -> int:
        if self._escape:
            return self._in_escape(piece, at)
        plain = _PLAIN.match(piece, at)
        if plain:
            self._take(plain[0], self._begin + plain.end())
            return plain.end()
        letter, end = piece[at], self._begin + at + 1
        if letter == "\\":
            self._escape = letter
        elif letter == '"':
            self._in_string = False
            if self._is_watched:
                self._line_ends(end)
        else:
            self._take(letter, end)
        return at + 1

    def _in_escape(self, piece: str, at: int) -> int:
        self._escape += piece[at]
        if self._escape[1] != "u":
            self._take(_SHORT.get(self._escape[1], self._escape[1]), self._begin + at + 1)
        elif len(self._escape) == _UNIT_LENGTH:
            digits = self._escape[2:]
            self._take(chr(int(digits, 16)) if _HEX.issuperset(digits) else "?", self._begin + at + 1)
        else:
            return at + 1
        self._escape = ""
        return at + 1

    def _take(self, text: str, end: int) -> None:
        if self._at_key:
            self._text.append(text)
        elif self._is_watched and self.first_line is None:
            if text == "\n":
                self._line_ends(end)
            else:
                self._line.append(text)

    def _line_ends(self, end: int) -> None:
        line = "".join(self._line)
        self._line.clear()
        if self.first_line is None and self._lines[0].fullmatch(line):
            self._lines = self._lines[1:]
            if not self._lines:
                self.first_line = end
