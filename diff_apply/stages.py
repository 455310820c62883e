"""The stages in which Cline's engines search for the place of a SEARCH text, one function each."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from diff_apply.lines import Source, trim
from diff_apply.result import Method


class Place(NamedTuple):
    """Where a SEARCH matches; `end` may be one beyond the text, because an LF is counted for the last line."""

    start: int
    end: int
    method: Method
    similarity: float | None = None


Stage = Callable[[Source, str, int], Place | None]
"""Maps (source, SEARCH text with an LF after every line, cursor) to a place, or None."""


def exact(source: Source, search: str, cursor: int) -> Place | None:
    """Return the first occurrence at the cursor or later; it need not start at the start of a line."""
    start = source.text.find(search, max(cursor, 0))
    return None if start < 0 else Place(start, start + len(search), Method.EXACT)


def exact_anywhere(source: Source, search: str, cursor: int) -> Place | None:  # noqa: ARG001  a stage takes three
    """Return the first occurrence in the whole file, even before the cursor."""
    start = source.text.find(search)
    return None if start < 0 else Place(start, start + len(search), Method.EXACT_ELSEWHERE)


def line_trimmed(source: Source, search: str, cursor: int) -> Place | None:
    """Return the first rows from the cursor that equal the SEARCH lines when both are trimmed."""
    expected = [trim(line) for line in search.split("\n")[:-1]]
    for row in _rows_like(expected[0], source, cursor, len(expected)):
        if source.trimmed[row : row + len(expected)] == expected:
            return _place(source, row, len(expected), Method.TRIMMED)
    return None


def anchored(source: Source, search: str, cursor: int) -> Place | None:
    """Return the first rows from the cursor of which the first and last match; the middle is not compared."""
    expected = [trim(line) for line in search.split("\n")[:-1]]
    row = next(_anchored_rows(source, expected, cursor), None)
    return None if row is None else _place(source, row, len(expected), Method.ANCHOR)


def anchored_by_distance(source: Source, search: str, cursor: int) -> Place | None:
    """Return the most similar of all anchored rows; both thresholds are 0, as in the original's baseline.

    A single candidate is scored by its first middle row that is not blank, several by the mean of all rows.
    """
    expected = [trim(line) for line in search.split("\n")[:-1]]
    rows = list(_anchored_rows(source, expected, cursor))
    if not rows:
        return None
    if len(rows) == 1:
        return _place(source, rows[0], len(expected), Method.ANCHOR, _first_similarity(source, rows[0], expected))
    means = [_mean_similarity(source, row, expected) for row in rows]
    best = max(means)
    return _place(source, rows[means.index(best)], len(expected), Method.ANCHOR, best)


def _rows_like(line: str, source: Source, cursor: int, count: int) -> Iterator[int]:
    """Yield the rows from the cursor that equal `line`, trimmed, with room for `count` rows."""
    rows = source.trimmed
    row, stop = source.row_from(cursor), len(rows) - count + 1
    while row < stop:
        try:
            row = rows.index(line, row, stop)
        except ValueError:
            return
        yield row
        row += 1


def _anchored_rows(source: Source, expected: list[str], cursor: int) -> Iterator[int]:
    if len(expected) < 2:
        return
    for row in _rows_like(expected[0], source, cursor, len(expected)):
        if source.trimmed[row + len(expected) - 1] == expected[-1]:
            yield row


def _place(source: Source, row: int, count: int, method: Method, similarity: float | None = None) -> Place:
    return Place(source.starts[row], source.starts[row + count], method, similarity)


def _first_similarity(source: Source, row: int, expected: list[str]) -> float:
    for offset in range(1, len(expected) - 1):
        if expected[offset] or source.trimmed[row + offset]:
            return _similarity(source.trimmed[row + offset], expected[offset]) / (len(expected) - 2)
    return 0.0


def _mean_similarity(source: Source, row: int, expected: list[str]) -> float:
    middle = range(1, len(expected) - 1)
    return sum(_similarity(source.trimmed[row + offset], expected[offset]) for offset in middle) / len(middle)


def _similarity(first: str, second: str) -> float:
    """Return 1 - Levenshtein / longer length, in UTF-16 units as in JavaScript; 0 for two empty lines."""
    from rapidfuzz.distance import Levenshtein

    units, others = (memoryview(line.encode("utf-16-le", "surrogatepass")).cast("H") for line in (first, second))
    longest = max(len(units), len(others))
    return 1 - Levenshtein.distance(list(units), list(others)) / longest if longest else 0.0
