"""The ways in which a SEARCH can be read as lines of a file: whole, with lines elided, or with one line off.

Every way is searched for with all differences within lines forgiven; which of them are necessary is decided afterwards.
The work for a block is bounded: a few searches in the text of the file, and at most `PLACES` places of each kind.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from diff_apply.changes import kept
from diff_apply.lines import Source, trim
from diff_apply.nearest import similarity
from runner.diagnosis.causes import Relaxation, elisions, folded, is_elision, wholly_folded

PLACES = 16
_SEGMENTS = 32
# A line of the file that is less similar is another line, not the one that the SEARCH means.
_ALIKE = 0.5
# Lines that must be equal where one line is off.
_FEWEST_EQUAL = 2


@dataclass(frozen=True, slots=True)
class BlockReading:
    """A block read against the rows of a file from `row` on: `search` has as many lines as its place.

    `off` is the index of the line that differs altogether, None if there is none.
    """

    row: int
    search: tuple[str, ...]
    replacement: tuple[str, ...]
    off: int | None = None

    @property
    def end(self) -> int:
        """The row after the place."""
        return self.row + len(self.search)

    def holds(self, source: Source, relaxations: frozenset[Relaxation]) -> bool:
        """Return whether all lines are equal where the relaxations forgive their differences."""
        place = source.pieces[self.row : self.end]
        return all(
            line == actual or at == self.off or folded(line, relaxations) == folded(actual, relaxations)
            for at, (line, actual) in enumerate(zip(self.search, place, strict=True))
        )


def whole(source: Source, search: Sequence[str], replacement: Sequence[str]) -> list[BlockReading]:
    """Return the places where the lines of the SEARCH stand together."""
    rows = islice(_rows(source, search), PLACES)
    return [BlockReading(row, tuple(search), tuple(replacement)) for row in rows]


def elided(source: Source, search: Sequence[str], replacement: Sequence[str]) -> list[BlockReading]:
    """Return the places where the parts of the SEARCH between its elisions stand one after another.

    The elided lines are added to the SEARCH, and to the REPLACE where it has an elision of the same number.
    """
    search, replacement = _without_outer(search), _without_outer(replacement)
    breaks = list(elisions(search))
    if not breaks:
        return []
    starts, ends = [0, *(at + 1 for at in breaks)], [*breaks, len(search)]
    segments = [search[start:end] for start, end in zip(starts, ends, strict=True) if end > start]
    if len(segments) > _SEGMENTS:
        return []
    rows = [list(islice(_rows(source, segment), PLACES)) for segment in segments]
    for at in range(len(segments) - 1, 0, -1):
        # A row from which the next segment cannot follow leads nowhere.
        rows[at - 1] = [row for row in rows[at - 1] if row + len(segments[at - 1]) <= max(rows[at], default=-1)]
    chains = islice(_chains(segments, rows, 0, ()), PLACES)
    return [_expanded(source, segments, chain, replacement) for chain in chains]


def one_off(source: Source, search: Sequence[str], replacement: Sequence[str]) -> list[BlockReading]:
    """Return the places that one line more, one line less or another line distinguishes from the SEARCH.

    One half of the SEARCH is then equal, and leads to the place.
    """
    middle = len(search) // 2
    if middle < 1:
        return []
    heads = islice(_rows(source, search[:middle]), PLACES)
    tails = islice(_rows(source, search[middle:]), PLACES)
    block = BlockReading(0, tuple(search), tuple(replacement))
    readings = [_off_after(source, replace(block, row=row), middle) for row in heads]
    readings += [_off_before(source, block, row, middle) for row in tails]
    unique = {(reading.row, reading.end): reading for reading in readings if reading is not None}
    return [reading for reading in unique.values() if _says_enough(source, reading)]


def _rows(source: Source, lines: Sequence[str]) -> Iterator[int]:
    """Yield the rows where the lines stand, with all differences within lines forgiven."""
    text = source.folded(wholly_folded)
    needle = "\n".join(["", *map(wholly_folded, lines), ""])
    row, offset, start = 0, 0, text.find(needle)
    while start >= 0:
        row, offset = row + text.count("\n", offset, start), start
        yield row
        start = text.find(needle, start + 1)


def _without_outer(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines without elisions at either end: they say nothing of the place."""
    start, end = 0, len(lines)
    while start < end and is_elision(lines[start]):
        start += 1
    while end > start and is_elision(lines[end - 1]):
        end -= 1
    return lines[start:end]


def _chains(
    segments: Sequence[Sequence[str]], rows: Sequence[Sequence[int]], least: int, chain: tuple[int, ...]
) -> Iterator[tuple[int, ...]]:
    """Yield the rows of all segments, each after the one before, the nearest first."""
    at = len(chain)
    if at == len(segments):
        yield chain
        return
    for row in rows[at][bisect_left(rows[at], least) :]:
        yield from _chains(segments, rows, row + len(segments[at]), (*chain, row))


def _expanded(
    source: Source, segments: Sequence[Sequence[str]], chain: Sequence[int], replacement: Sequence[str]
) -> BlockReading:
    search, gaps, end = list[str](), list[list[str]](), chain[0]
    for row, segment in zip(chain, segments, strict=True):
        if row > chain[0]:
            gaps.append(source.pieces[end:row])
            search += gaps[-1]
        search += segment
        end = row + len(segment)
    lines, number = list[str](), 0
    for line in replacement:
        if is_elision(line) and number < len(gaps):
            lines += gaps[number]
            number += 1
        else:
            lines.append(line)
    return BlockReading(chain[0], tuple(search), tuple(lines))


def _off_after(source: Source, block: BlockReading, equal: int) -> BlockReading | None:
    """Return the reading whose first lines, as many as `equal` or more, are equal, and then one line is off."""
    at, row = equal, block.row + equal
    pieces, search = source.pieces, block.search
    while at < len(search) and row < len(pieces) and _is_equal(search[at], pieces[row]):
        at, row = at + 1, row + 1
    if at == len(search):
        return None
    if _are_equal(source, search[at:], row + 1):
        return _with_line(source, block, at)
    if _are_equal(source, search[at + 1 :], row + 1) and (at + 1 < len(search) or _are_alike(source, search[at], row)):
        return replace(block, off=at)
    return _without_line(block, at) if _are_equal(source, search[at + 1 :], row) else None


def _off_before(source: Source, block: BlockReading, tail: int, middle: int) -> BlockReading | None:
    """Return the reading whose lines from the middle on stand at the row `tail`, and before them one line is off."""
    at, row = middle - 1, tail - 1
    pieces, search = source.pieces, block.search
    while at >= 0 and row >= 0 and _is_equal(search[at], pieces[row]):
        at, row = at - 1, row - 1
    if at < 0:
        return None
    if row > at and _are_equal(source, search[: at + 1], row - at - 1):
        return _with_line(source, replace(block, row=row - at - 1), at + 1)
    if row >= at and _are_equal(source, search[:at], row - at) and (at or _are_alike(source, search[0], row)):
        return replace(block, row=row - at, off=at)
    if row + 1 >= at and _are_equal(source, search[:at], row + 1 - at):
        return _without_line(replace(block, row=row + 1 - at), at)
    return None


def _is_equal(line: str, actual: str) -> bool:
    return line == actual or wholly_folded(line) == wholly_folded(actual)


def _are_equal(source: Source, lines: Sequence[str], row: int) -> bool:
    place = source.pieces[row : row + len(lines)]
    return len(place) == len(lines) and all(map(_is_equal, lines, place))


def _are_alike(source: Source, line: str, row: int) -> bool:
    return row < len(source.trimmed) and similarity([source.trimmed[row]], [trim(line)]) >= _ALIKE


def _without_line(block: BlockReading, at: int) -> BlockReading:
    """Return the block without a line of its SEARCH that the file lacks; a REPLACE that repeats it loses it too."""
    repeated = {row: line for line, row in kept(block.search, block.replacement).items()}
    replacement = list(block.replacement)
    if at in repeated:
        del replacement[repeated[at]]
    return replace(block, search=(*block.search[:at], *block.search[at + 1 :]), replacement=tuple(replacement))


def _with_line(source: Source, block: BlockReading, at: int) -> BlockReading:
    """Return the block with a line of the file that its SEARCH lacks; it stays where a neighbour is repeated."""
    actual = source.pieces[block.row + at]
    repeated = {row: line for line, row in kept(block.search, block.replacement).items()}
    replacement = list(block.replacement)
    if at - 1 in repeated:
        replacement.insert(repeated[at - 1] + 1, actual)
    elif at in repeated:
        replacement.insert(repeated[at], actual)
    return replace(block, search=(*block.search[:at], actual, *block.search[at:]), replacement=tuple(replacement))


def _says_enough(source: Source, reading: BlockReading) -> bool:
    place = source.pieces[reading.row : reading.end]
    equal = sum(bool(trim(line)) and at != reading.off for at, line in enumerate(place))
    return equal >= _FEWEST_EQUAL
