"""Which lines differ between two lists of lines: a shortest edit script, quick and small for huge lists too."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

# A first guess at the distance; rapidfuzz then works in a band and widens it only where it must.
_HINT = 64


class Change(NamedTuple):
    """`before[start:end]` became `after[begin:stop]`; one of the two may be empty."""

    start: int
    end: int
    begin: int
    stop: int


def changes(before: Sequence[str], after: Sequence[str]) -> list[Change]:
    """The changed ranges in order, equal lines between them: the least lines replaced, added or removed."""
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
    """For each line of `after` that a shortest edit script keeps, the line of `before` that it was."""
    pairs = dict[int, int]()
    row, line = 0, 0
    for change in [*changes(before, after), Change(len(before), 0, len(after), 0)]:
        pairs.update(zip(range(line, change.begin), range(row, change.start), strict=True))
        row, line = change.end, change.stop
    return pairs


def _shortest(before: Sequence[str], after: Sequence[str]) -> Iterator[Change]:
    """What lies between the equal blocks of a Levenshtein alignment of the lines."""
    from rapidfuzz.distance import Levenshtein

    # rapidfuzz compares hashes, so every line gets a number of its own.
    numbers = dict[str, int]()
    one, other = ([numbers.setdefault(line, len(numbers)) for line in lines] for lines in (before, after))
    start, begin = 0, 0
    for block in Levenshtein.opcodes(one, other, score_hint=_HINT).as_matching_blocks():
        if (block.a, block.b) != (start, begin):
            yield Change(start, block.a, begin, block.b)
        start, begin = block.a + block.size, block.b + block.size
