"""Watches an answer in the form of an edit tool while it arrives; what it holds is read of the whole text."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from parsers.blocks import Block, EditMarks

Sign = str | re.Pattern[str]
"""What shows that an edit has come so far: a text, complete anywhere, or a pattern of a line, complete with its LF."""
Read = Callable[[str, Sequence[str]], tuple[Block, ...]]
"""Maps (an answer, the files that were displayed) to its blocks; no text raises an error."""


class FormParse:
    """One answer being read; see `Parse`."""

    __slots__ = ("_carry", "_line", "_marks", "_parser", "_pieces", "_position")

    def __init__(self, parser: "FormParser") -> None:
        """Begin before the first character."""
        self._parser = parser
        self._pieces: list[str] = []
        self._line: list[str] = []
        self._carry = ""
        self._position = 0
        self._marks: list[int] = []

    @property
    def marks(self) -> EditMarks:
        """The marks reached so far."""
        return EditMarks(*self._marks)

    def feed(self, piece: str) -> None:
        """Process the next piece; costs O(piece)."""
        self._pieces.append(piece)
        at = 0
        while at >= 0 and len(self._marks) < len(self._parser.signs):
            sign = self._parser.signs[len(self._marks)]
            at = self._text(sign, piece, at) if isinstance(sign, str) else self._lines(sign, piece, at)
            if at >= 0:
                self._marks.append(self._position + at)
        self._position += len(piece)

    def snapshot(self) -> tuple[Block, ...]:
        """Return the blocks of all text so far, equal to a fresh parse of it."""
        return self._parser.parse("".join(self._pieces))

    def _text(self, sign: str, piece: str, at: int) -> int:
        """Return the offset behind the sign in the piece, -1 if it is not complete."""
        window = self._carry + piece[at:]
        start = window.find(sign)
        if start >= 0:
            end = at + start + len(sign) - len(self._carry)
            self._carry = ""
            return end
        self._carry = window[-len(sign) + 1 :]
        return -1

    def _lines(self, sign: re.Pattern[str], piece: str, at: int) -> int:
        """Return the offset behind the first line that is the sign, -1 if there is none."""
        while (end := piece.find("\n", at)) >= 0:
            self._line.append(piece[at:end])
            line = "".join(self._line)
            self._line.clear()
            at = end + 1
            if sign.fullmatch(line):
                return at
        self._line.append(piece[at:])
        return -1


@dataclass(frozen=True, slots=True)
class FormParser:
    """The parser of a form: how an answer about files is read, and the signs of a first edit.

    `signs` are those of its start, of its first new line, and of its end.
    """

    read: Read
    signs: tuple[Sign, Sign, Sign]
    files: tuple[str, ...] = ()

    def about(self, *files: str) -> "FormParser":
        """Return the parser of answers to a question in which these files were displayed."""
        return FormParser(self.read, self.signs, files)

    def start(self) -> FormParse:
        """Begin an answer."""
        return FormParse(self)

    def parse(self, text: str) -> tuple[Block, ...]:
        """Return the blocks of a whole answer."""
        return self.read(text, self.files)
