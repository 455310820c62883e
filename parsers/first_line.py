"""Finds, while a SEARCH/REPLACE diff arrives, where its first replacement line is complete."""

import re

from parsers.trim import JS_SPACE

# All marker forms of any published version; a CR before the line's end is accepted.
_SEARCH = re.compile(r"(?:-{3,}|<{3,}) SEARCH>?\r?")
_SEPARATOR = re.compile(r"={3,}\r?")


class FirstLine:
    """Watches the value of one diff.

    The first replacement line is the first line after the separator of the first block; where the replacement is
    empty that is the block's end marker. A line is complete with its LF, or with the end of the value. White
    space at the value's ends does not belong to it.
    """

    __slots__ = ("_expected", "_line", "_started")

    def __init__(self) -> None:
        """Begin before the first character of a value."""
        self._line: list[str] = []
        self._started = False
        self._expected: re.Pattern[str] | None = _SEARCH

    def feed(self, text: str) -> int | None:
        """Process the next text; return, once, the offset in it just after the first replacement line."""
        at = 0
        while (end := text.find("\n", at)) >= 0:
            self._line.append(text[at:end])
            if self._completes("".join(self._line)):
                return end + 1
            self._line.clear()
            at = end + 1
        self._line.append(text[at:])
        return None

    def close(self) -> bool:
        """End the value; return whether this completes its first replacement line."""
        line = "".join(self._line).rstrip(JS_SPACE)
        return line != "" and self._completes(line)

    def _completes(self, line: str) -> bool:
        if not self._started:
            line = line.lstrip(JS_SPACE)
            self._started = line != ""
        if self._expected is None:
            return True
        if self._expected.fullmatch(line):
            self._expected = _SEPARATOR if self._expected is _SEARCH else None
        return False
