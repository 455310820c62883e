"""The lines of a text as JavaScript sees them: split at LF alone, trimmed of JavaScript's white space."""

from bisect import bisect_left
from collections.abc import Callable
from functools import cached_property
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
    """A text that a SEARCH is looked for in; split only when it must be, as most matches are exact."""

    def __init__(self, text: str) -> None:
        """Keep the text."""
        self.text = text
        self._folded = dict[Callable[[str], str], str]()

    @cached_property
    def pieces(self) -> list[str]:
        """What stands between the LFs; a text that ends in LF has an empty last piece."""
        return self.text.split("\n")

    @cached_property
    def trimmed(self) -> list[str]:
        """The pieces, trimmed."""
        return [piece.strip(BLANKS) for piece in self.pieces]

    @cached_property
    def starts(self) -> list[int]:
        """Where each piece starts, and last where one more would: one beyond the end of the text."""
        return list(accumulate((len(piece) + 1 for piece in self.pieces), initial=0))

    @cached_property
    def fenced(self) -> str:
        """The text with an LF before and after every line, so that whole lines can be found in it."""
        return f"\n{self.text}\n" if self.is_open else f"\n{self.text}"

    def folded(self, fold: Callable[[str], str]) -> str:
        """The folded pieces with an LF before and after each; made once for every fold."""
        if fold not in self._folded:
            pieces = self.trimmed if fold is trim else map(fold, self.pieces)
            self._folded[fold] = "\n".join(["", *pieces, ""])
        return self._folded[fold]

    @cached_property
    def positions(self) -> dict[str, list[int]]:
        """The trimmed pieces and the rows where each stands, rising."""
        positions = dict[str, list[int]]()
        for row, piece in enumerate(self.trimmed):
            positions.setdefault(piece, []).append(row)
        return positions

    @property
    def is_open(self) -> bool:
        """Whether the last line lacks its newline."""
        return bool(self.text) and not self.text.endswith("\n")

    def row_from(self, offset: int) -> int:
        """The first row that starts at `offset` or later."""
        return bisect_left(self.starts, offset)

    def line_at(self, offset: int) -> int:
        """The number of the line at an offset, from 1."""
        return self.text.count("\n", 0, offset) + 1
