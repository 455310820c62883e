"""The lines of a text as JavaScript splits and trims them: at LF only, by JavaScript's white space."""

from bisect import bisect_left
from collections.abc import Callable
from functools import cached_property
from itertools import accumulate

# ECMAScript's WhiteSpace and LineTerminator; `str.strip()` has a different set (U+001C-001F, U+0085, no U+FEFF).
BLANKS = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


def trim(text: str) -> str:
    """Remove JavaScript's white space at both ends."""
    return text.strip(BLANKS)


def rows_of(text: str) -> list[str]:
    r"""Return the lines of a text without their LF: none for "", one empty line for "\n"; the last may lack its LF."""
    rows = text.split("\n")
    if not rows[-1]:
        rows.pop()
    return rows


class Source:
    """The text in which a SEARCH is looked up; split only when necessary, because most matches are exact."""

    def __init__(self, text: str) -> None:
        """Keep the text."""
        self.text = text
        self._folded = dict[Callable[[str], str], str]()

    @cached_property
    def pieces(self) -> list[str]:
        """The text between the LFs; a text that ends in LF has an empty last piece."""
        return self.text.split("\n")

    @cached_property
    def trimmed(self) -> list[str]:
        """The pieces, trimmed."""
        return [piece.strip(BLANKS) for piece in self.pieces]

    @cached_property
    def starts(self) -> list[int]:
        """The offset of each piece, and last that of one more piece: one beyond the end of the text."""
        return list(accumulate((len(piece) + 1 for piece in self.pieces), initial=0))

    @cached_property
    def fenced(self) -> str:
        """The text with an LF before and after every line, for searching whole lines."""
        return f"\n{self.text}\n" if self.is_open else f"\n{self.text}"

    def folded(self, fold: Callable[[str], str]) -> str:
        """Return the folded pieces with an LF before and after each; cached for each fold."""
        if fold not in self._folded:
            pieces = self.trimmed if fold is trim else map(fold, self.pieces)
            self._folded[fold] = "\n".join(["", *pieces, ""])
        return self._folded[fold]

    @cached_property
    def positions(self) -> dict[str, list[int]]:
        """The rows of each trimmed piece, ascending."""
        positions = dict[str, list[int]]()
        for row, piece in enumerate(self.trimmed):
            positions.setdefault(piece, []).append(row)
        return positions

    @property
    def is_open(self) -> bool:
        """Return whether the last line lacks its newline."""
        return bool(self.text) and not self.text.endswith("\n")

    def row_from(self, offset: int) -> int:
        """Return the first row that starts at `offset` or later."""
        return bisect_left(self.starts, offset)

    def line_at(self, offset: int) -> int:
        """Return the 1-based number of the line at an offset."""
        return self.text.count("\n", 0, offset) + 1
