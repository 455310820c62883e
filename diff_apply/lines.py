"""The lines of a text as JavaScript sees them: split at LF alone, trimmed of JavaScript's white space."""

from bisect import bisect_left
from itertools import accumulate

# ECMAScript's WhiteSpace and LineTerminator; `str.strip()` knows another set (U+001C-001F, U+0085, no U+FEFF).
BLANKS = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


def trim(text: str) -> str:
    """The text without JavaScript's white space at both ends."""
    return text.strip(BLANKS)


def rows_of(text: str) -> list[str]:
    r"""The lines of a text without their LF: none for "", one empty for "\n"; a last line needs no LF."""
    rows = text.split("\n")
    if not rows[-1]:
        rows.pop()
    return rows


class Source:
    """A text and, once asked for, its pieces between LFs, trimmed, with the offsets where they start."""

    __slots__ = ("_starts", "_trimmed", "text")

    def __init__(self, text: str) -> None:
        """Keep the text; split nothing yet, as exact matches need no lines."""
        self.text = text
        self._trimmed: list[str] | None = None
        self._starts: list[int] = []

    @property
    def trimmed(self) -> list[str]:
        """Every piece between LFs, trimmed; a text that ends in LF has an empty last one."""
        if self._trimmed is None:
            pieces = self.text.split("\n")
            self._starts = list(accumulate((len(piece) + 1 for piece in pieces), initial=0))
            self._trimmed = [piece.strip(BLANKS) for piece in pieces]
        return self._trimmed

    @property
    def starts(self) -> list[int]:
        """Where each piece starts, and last where one more would: one beyond the end of the text."""
        return self._starts if self.trimmed else []

    def row_from(self, offset: int) -> int:
        """The first row that starts at `offset` or later."""
        return bisect_left(self.starts, offset)
