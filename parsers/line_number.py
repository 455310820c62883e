"""Reads a line number from a model's answer: the last `<line>` tag, or a last line that is a single number.

The number becomes a call of the tool `line` with the parameter `number`; an answer without a number has no call.
"""

import re
from typing import Final

from parsers.blocks import Block, EditMarks, Text, ToolCall

TOOL: Final = "line"
NUMBER: Final = "number"

_OPEN, _CLOSE = "<line>", "</line>"
_TAG = re.compile(r"(?ai:<line>)\s*([0-9]+)\s*(?ai:</line>)")
_OPEN_TAG = re.compile(r"(?ai:<line>)")
# Around a number without a tag: marks of emphasis and quotation, and these words.
_MARKS = re.compile(r"[*_`#>\"'().:]")
_WORDS = frozenset(("the", "answer", "line", "number", "is"))

# No file has a line number with more digits.
_MOST_DIGITS = 9


def parse_line_number(text: str) -> int | None:
    """Return the line number in an answer, None if there is none. No input raises an error.

    Tags take precedence, and the last of several counts: a model may discuss other lines first. Without a tag, the
    last line that is not blank must be one number, optionally with the word "line" or marks of emphasis around it. A
    number among other words does not count, nor does a tag that is not closed.
    """
    tags = _TAG.findall(text)
    if tags:
        return _number(tags[-1])
    if _OPEN_TAG.search(text):
        return None
    last = next((line for line in reversed(text.split("\n")) if line.strip()), "")
    words = _MARKS.sub(" ", last).split()
    alone = bool(words) and all(word.lower() in _WORDS for word in words[:-1])
    return _number(words[-1]) if alone else None


def _number(digits: str) -> int | None:
    plain = digits.isascii() and digits.isdecimal() and len(digits) <= _MOST_DIGITS
    return int(digits) if plain else None


class LineNumber:
    """The grammar of answers with a line number."""

    def start(self) -> "LineParse":
        """Begin an answer."""
        return LineParse()

    def parse(self, text: str) -> tuple[Block, ...]:
        """Return the text of the answer and the call with its line number."""
        content = text.strip()
        words: tuple[Block, ...] = (Text(content),) if content else ()
        line = parse_line_number(text)
        return words if line is None else (*words, ToolCall(TOOL, {NUMBER: str(line)}))


class LineParse:
    """One answer while it arrives; its marks are the end of the first `<line>` and of the first whole tag."""

    __slots__ = ("_length", "_pieces", "_scan", "marks")

    def __init__(self) -> None:
        """Begin before the first character."""
        self._pieces: list[str] = []
        self._length = 0
        self._scan = _TagScan()
        self.marks = EditMarks()

    def feed(self, piece: str) -> None:
        """Process the next piece."""
        self._pieces.append(piece)
        at = 0
        while self.marks.closed is None and (at := self._scan.skip(piece, at)) < len(piece):
            self._scan.take(piece[at])
            at += 1
            if self._scan.opened and self.marks.opened is None:
                self.marks = EditMarks(opened=self._length + at)
            if self._scan.closed:
                self.marks = EditMarks(opened=self.marks.opened, closed=self._length + at)
        self._length += len(piece)

    def snapshot(self) -> tuple[Block, ...]:
        """Return the blocks of all text so far."""
        return PARSER.parse("".join(self._pieces))


class _TagScan:
    """Finds the first whole tag, character by character: `_matched` characters of `_wanted` have been seen.

    Between the two tags `_digits` says whether there were digits, and `_spaced` whether there was space behind them.
    """

    __slots__ = ("_digits", "_inside", "_matched", "_spaced", "closed", "opened")

    def __init__(self) -> None:
        self._matched = 0
        self._inside = self._digits = self._spaced = False
        self.opened = self.closed = False

    def skip(self, piece: str, at: int) -> int:
        """Return the next offset that can change the state: outside of tags, that of the next "<"."""
        if self._inside or self._matched:
            return at
        start = piece.find("<", at)
        return len(piece) if start < 0 else start

    def take(self, character: str) -> None:
        """Read one character."""
        tag = _CLOSE if self._inside else _OPEN
        if self._matched and tag[self._matched] == _lower(character):
            self._matched += 1
            if self._matched == len(tag):
                self._complete()
        elif self._inside and not self._matched and self._within(character):
            return
        else:
            self._restart(character)

    def _complete(self) -> None:
        self._matched = 0
        self.closed = self._inside
        self._inside, self._digits, self._spaced = True, False, False
        self.opened = True

    def _within(self, character: str) -> bool:
        """Return whether a character may follow between the tags: spaces, digits, spaces."""
        if character.isspace():
            self._spaced = self._digits
            return True
        if character in "0123456789" and not self._spaced:
            self._digits = True
            return True
        return False

    def _restart(self, character: str) -> None:
        """Start again after a broken tag or a number; `<` may begin the next tag, as may `<l` of a broken end tag."""
        if self._inside and self._matched == 1 and _lower(character) == "l":
            self._inside, self._matched = False, 2
            return
        ends = self._inside and self._digits and not self._matched
        self._inside = ends and character == "<"
        self._matched = int(character == "<")


def _lower(character: str) -> str:
    """Return the lower case of an ASCII letter; other characters, which no tag contains, are returned unchanged."""
    return character.lower() if character.isascii() else character


PARSER = LineNumber()
