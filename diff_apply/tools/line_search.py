"""Finds a list of lines in another one in linear time, whatever they are."""

from collections.abc import Iterable, Iterator, Sequence


class CodedLines:
    """Lines, each distinct one as a character of its own, so that lists of lines are searched as strings are."""

    def __init__(self, lines: Iterable[str]) -> None:
        """Code the lines."""
        self._codes: dict[str, str] = {}
        self._text = "".join(self._codes.setdefault(line, _code(len(self._codes))) for line in lines)

    def places(self, expected: Sequence[str], start: int = 0) -> Iterator[int]:
        """Yield each index from `start` at which the expected lines stand, overlapping places too."""
        codes = [self._codes.get(line) for line in expected]
        if None in codes:
            return
        needle = "".join(filter(None, codes))
        at = self._text.find(needle, start)
        while at >= 0:
            yield at
            at = self._text.find(needle, at + 1)

    def first(self, expected: Sequence[str], start: int = 0) -> int:
        """Return the first index from `start` at which the expected lines stand, -1 if there is none."""
        return next(self.places(expected, start), -1)


def _code(number: int) -> str:
    # Texts of up to 4 million characters have at most as many distinct lines as there are code points.
    return chr(number + 1)
