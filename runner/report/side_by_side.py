"""Puts a SEARCH beside the lines of a file that are most like it, with their differences marked, in 80 columns."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from runner.console import harmless

_WIDTH = 37
# The lines shown around the first difference.
_BEFORE, _ROWS = 3, 12
_TAB = ">---"


def beside(search: Sequence[str], place: Sequence[str], titles: tuple[str, str]) -> Iterator[str]:
    """Yield two columns: the SEARCH and the place, a `^` below each character that differs."""
    pairs = list(zip_longest(search, place, fillvalue=""))
    first = next((at for at, (line, actual) in enumerate(pairs) if line != actual), 0)
    start = max(first - _BEFORE, 0)
    yield _row(*titles)
    for line, actual in pairs[start : start + _ROWS]:
        yield from _pair(line, actual)
    left_out = len(pairs) - len(pairs[start : start + _ROWS])
    if left_out:
        yield f"   {left_out} more lines: --full"


def visible(line: str) -> str:
    """Return a line with tabs, trailing blanks and control characters made visible."""
    body = line.rstrip(" ")
    return harmless(body.replace("\t", _TAB)) + "~" * (len(line) - len(body))


def _pair(line: str, actual: str) -> Iterator[str]:
    """Yield a row of both columns, and below it the marks; a long line is shown around its first difference."""
    left, right = visible(line), visible(actual)
    start, end = common_ends(left, right)
    cut = max(0, start - _WIDTH // 2) if max(len(left), len(right)) > _WIDTH else 0
    yield _row(left[cut:], right[cut:])
    if left != right:
        marks = (" " * (start - cut) + "^" * max(len(text) - start - end, 1) for text in (left, right))
        yield _row(*marks)


def common_ends(first: str, second: str) -> tuple[int, int]:
    """Return how many characters two lines have in common at their beginning, and of the rest at their end."""
    start = _common(first, second)
    return start, _common(first[start:][::-1], second[start:][::-1])


def _common(first: str, second: str) -> int:
    return next(
        (at for at, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )


def _row(left: str, right: str) -> str:
    return f" {left[:_WIDTH]:<{_WIDTH}} | {right[:_WIDTH]}".rstrip()
