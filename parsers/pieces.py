"""A text that grows piece by piece and is sliced by position, without being joined as a whole."""

from bisect import bisect_left, bisect_right


class Pieces:
    """The text so far; positions are code points from its start.

    Appending costs O(1); a slice costs its own length and the pieces it touches. So the cost of a message is linear
    in its length, however small its pieces are.
    """

    __slots__ = ("_pieces", "_starts", "length")

    def __init__(self) -> None:
        """Begin with an empty text."""
        self.length = 0
        self._pieces: list[str] = []
        self._starts: list[int] = []

    def append(self, piece: str) -> None:
        """Append the next piece."""
        self._pieces.append(piece)
        self.length += len(piece)

    def slice(self, start: int, stop: int) -> str:
        """Return the text from `start` up to `stop`, both within 0..length; "" if `start` is not before `stop`."""
        if start >= stop:
            return ""
        starts, pieces = self._index(), self._pieces
        first, last = bisect_right(starts, start) - 1, bisect_left(starts, stop) - 1
        head, end = start - starts[first], stop - starts[last]
        if first == last:
            return pieces[first][head:end]
        return "".join((pieces[first][head:], *pieces[first + 1 : last], pieces[last][:end]))

    def _index(self) -> list[int]:
        # Built only when a slice is needed: most pieces are never accessed individually.
        starts, pieces = self._starts, self._pieces
        at = starts[-1] + len(pieces[len(starts) - 1]) if starts else 0
        for piece in pieces[len(starts) :]:
            starts.append(at)
            at += len(piece)
        return starts
