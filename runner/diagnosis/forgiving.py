"""Applies a diff as the most forgiving tool would, and reports the smallest set of relaxations that it takes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from diff_apply.fences import Block
from diff_apply.lines import Source, trim
from diff_apply.reshape import reshaped
from runner.diagnosis.causes import FOLDS, Relaxation, Unforgivable, in_order, relaxation_sets
from runner.diagnosis.readings import BlockReading, elided, one_off, whole

_Find = Callable[[Source, Sequence[str], Sequence[str]], list[BlockReading]]
_KINDS: dict[Relaxation | None, _Find] = {None: whole, Relaxation.ELIDED: elided, Relaxation.LINE_OFF: one_off}
_FOLDS = frozenset(FOLDS)


@dataclass(frozen=True, slots=True)
class ForgivenBlock:
    """Where a block matches, and under which relaxations; `reading` is None if it matches nowhere."""

    number: int
    reading: BlockReading | None
    relaxations: tuple[Relaxation, ...] = ()
    unforgivable: Unforgivable | None = None


def forgive(source: Source, blocks: Sequence[Block]) -> list[ForgivenBlock]:
    """Return the place of each block under its smallest set of relaxations; the blocks are in the order of the diff.

    Of several places, the first after the block before is taken, or else the first.
    """
    forgiven, row = list[ForgivenBlock](), 0
    for block in blocks:
        forgiven.append(_forgiven(source, block, row))
        reading = forgiven[-1].reading
        row = reading.end if reading else row
    return forgiven


def are_in_order(readings: Sequence[BlockReading]) -> bool:
    """Return whether each place lies behind the one before."""
    return all(later.row >= earlier.end for earlier, later in pairwise(readings))


def overlap(readings: Sequence[BlockReading]) -> bool:
    """Return whether two places share a line."""
    return not are_in_order(sorted(readings, key=lambda reading: reading.row))


def spliced(source: Source, readings: Sequence[BlockReading]) -> str:
    """Return the file with every place replaced; repeated lines keep the file's text (see `diff_apply.reshape`)."""
    rows, row = list[str](), 0
    for reading in sorted(readings, key=lambda reading: reading.row):
        place = tuple(source.pieces[reading.row : reading.end])
        ending = "\r" if 2 * sum(line.endswith("\r") for line in place) > len(place) else ""
        rows += source.pieces[row : reading.row]
        exact = reading.search == place
        rows += reading.replacement if exact else reshaped(reading.search, reading.replacement, place, ending)
        row = reading.end
    return "\n".join([*rows, *source.pieces[row:]])


def _forgiven(source: Source, block: Block, row: int) -> ForgivenBlock:
    search, replacement = block.search.rows, block.replacement.rows
    if not source.text and not trim(block.search.text):
        return ForgivenBlock(block.number, BlockReading(0, ("",), (*replacement, "")))
    readings = _Readings(source, search, replacement)
    for relaxations in relaxation_sets() if search and readings.are_there else ():
        places = readings.under(relaxations - {Relaxation.SEVERAL})
        if len(places) == 1 and Relaxation.SEVERAL not in relaxations:
            return ForgivenBlock(block.number, places[0], in_order(relaxations))
        if len(places) > 1 and Relaxation.SEVERAL in relaxations and any(map(trim, search)):
            first = next((place for place in places if place.row >= row), places[0])
            return ForgivenBlock(block.number, first, in_order(relaxations))
    nowhere = Unforgivable.IMAGINED if any(map(trim, search)) else Unforgivable.EMPTY_SEARCH
    return ForgivenBlock(block.number, None, unforgivable=nowhere)


class _Readings:
    """The readings of a block, searched for once per kind, and which of them hold under a set of relaxations."""

    def __init__(self, source: Source, search: Sequence[str], replacement: Sequence[str]) -> None:
        self._block = source, search, replacement
        self._of_kind = dict[Relaxation | None, list[BlockReading]]()
        self._under = dict[frozenset[Relaxation], list[BlockReading]]()

    @property
    def are_there(self) -> bool:
        """Whether there is a reading of any kind: if not, none holds under any relaxations."""
        return any(self._of(kind) for kind in _KINDS)

    def _of(self, kind: Relaxation | None) -> list[BlockReading]:
        if kind not in self._of_kind:
            self._of_kind[kind] = sorted(_KINDS[kind](*self._block), key=lambda reading: reading.row)
        return self._of_kind[kind]

    def under(self, relaxations: frozenset[Relaxation]) -> list[BlockReading]:
        """Return the readings that hold under exactly these relaxations."""
        if relaxations not in self._under:
            kind = next(iter(relaxations - _FOLDS), None)
            folds = relaxations & _FOLDS
            source = self._block[0]
            # What follows the last newline is a line only once something is forgiven, as in `v4`.
            room = len(source.pieces) - (not source.is_open and not relaxations)
            self._under[relaxations] = [
                reading for reading in self._of(kind) if reading.end <= room and reading.holds(source, folds)
            ]
        return self._under[relaxations]
