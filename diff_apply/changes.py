"""Finds the lines that differ between two lists of lines: a shortest edit script, fast even for huge lists."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

# An initial guess of the distance: rapidfuzz searches within this band and widens it only if necessary.
_HINT = 64


class Change(NamedTuple):
    """`before[start:end]` became `after[begin:stop]`; one of the two may be empty."""

    start: int
    end: int
    begin: int
    stop: int


def changes(before: Sequence[str], after: Sequence[str]) -> list[Change]:
    """Return the changed ranges in order, with equal lines between them and as few changed lines as possible."""
    start, end, stop = 0, len(before), len(after)
    while start < min(end, stop) and before[start] == after[start]:
        start += 1
    while start < min(end, stop) and before[end - 1] == after[stop - 1]:
        end, stop = end - 1, stop - 1
    if start == end == stop:
        return []
    if start in (end, stop):
        return [Change(start, end, start, stop)]
    return [
        Change(start + change.start, start + change.end, start + change.begin, start + change.stop)
        for change in _shortest(before[start:end], after[start:stop])
    ]


def kept(before: Sequence[str], after: Sequence[str]) -> dict[int, int]:
    """Map each line of `after` that a shortest edit script keeps to its line in `before`."""
    pairs = dict[int, int]()
    row, line = 0, 0
    for change in [*changes(before, after), Change(len(before), 0, len(after), 0)]:
        pairs.update(zip(range(line, change.begin), range(row, change.start), strict=True))
        row, line = change.end, change.stop
    return pairs


def _shortest(before: Sequence[str], after: Sequence[str]) -> Iterator[Change]:
    """Yield the ranges between the equal blocks of a Levenshtein alignment of the lines."""
    from rapidfuzz.distance import Levenshtein

    # rapidfuzz compares hashes, which may collide: each distinct line gets its own number.
    numbers = dict[str, int]()
    before_numbers, after_numbers = (
        [numbers.setdefault(line, len(numbers)) for line in lines] for lines in (before, after)
    )
    start, begin = 0, 0
    for block in Levenshtein.opcodes(before_numbers, after_numbers, score_hint=_HINT).as_matching_blocks():
        if (block.a, block.b) != (start, begin):
            yield Change(start, block.a, begin, block.b)
        start, begin = block.a + block.size, block.b + block.size
