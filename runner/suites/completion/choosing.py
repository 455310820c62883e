"""Which tests judge a hole: those that execute it, few, light, and on different ways through its function."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from runner.suites.completion.baseline import ExecutionTrace
from runner.suites.completion.blocks import Block
from runner.suites.completion.dataset import ByteSpan

MOST = 8
_NONE: frozenset[int] = frozenset()
# Few and far apart, so that one build and the next, on a busier machine, say the same.
_SECONDS = (1, 4, 16, 64, 256)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The tests that are run, how many there would be, and seconds that those which are run do not take, roughly."""

    tests: tuple[str, ...]
    total: int
    seconds: int


class Reach:
    """The tests that execute lines of a file, the light ones first, and by line which: bits, for there may be many."""

    def __init__(self, file: str, traces: Iterable[ExecutionTrace]) -> None:
        """Leave out traces that have no line of the file."""
        reaching = [trace for trace in traces if trace.call.get(file) or trace.fixtures.get(file)]
        self.traces = sorted(reaching, key=lambda trace: (trace.weight, trace.test))
        self.ways = [trace.call.get(file, _NONE) | trace.fixtures.get(file, _NONE) for trace in self.traces]
        self._called = _by_line(trace.call.get(file, _NONE) for trace in self.traces)
        self._prepared = _by_line(trace.fixtures.get(file, _NONE) for trace in self.traces)

    def executing(self, lines: Iterable[int]) -> list[int]:
        """The numbers of the tests that reach any of the lines: themselves before by fixtures, the light ones first."""
        called = prepared = 0
        for line in lines:
            called |= self._called.get(line, 0)
            prepared |= self._prepared.get(line, 0)
        return [*_numbers(called), *_numbers(prepared & ~called)]


def choose(block: Block, hole: ByteSpan, reach: Reach, without: Collection[str] = ()) -> Chosen:
    """The tests for a hole, of those that reach its file; all of them for an import outside of functions."""
    if block.type == "IMPORT" and block.function is None:
        executing = [*range(len(reach.traces))]
    else:
        executing = reach.executing(range(hole.start_line, hole.end_line + 1))
    if without:
        executing = [number for number in executing if reach.traces[number].test not in without]
    around = block.function.span if block.function is not None else None
    picked = [reach.traces[number] for number in _on_different_ways(executing, reach.ways, around)]
    return Chosen(tuple(test.test for test in picked), len(executing), _roughly(sum(test.seconds for test in picked)))


def _roughly(seconds: float) -> int:
    return next((bound for bound in _SECONDS if seconds <= bound), ceil(seconds))


def _by_line(lines_of: Iterable[frozenset[int]]) -> dict[int, int]:
    """For each line a number with the bits set of those that have it."""
    tests: dict[int, bytearray] = {}
    for number, lines in enumerate(lines_of):
        for line in lines:
            bits = tests.setdefault(line, bytearray())
            bits.extend(bytes(number // 8 + 1 - len(bits)))
            bits[number // 8] |= 1 << number % 8
    return {line: int.from_bytes(bits, "little") for line, bits in tests.items()}


def _numbers(bits: int) -> Iterator[int]:
    return (place.start() for place in re.finditer("1", bin(bits)[:1:-1]))


def _on_different_ways(executing: Sequence[int], ways: Sequence[frozenset[int]], around: ByteSpan | None) -> list[int]:
    within = None if around is None else frozenset(range(around.start_line, around.end_line + 1))
    ways_within: dict[frozenset[int], frozenset[int]] = {}
    seen: set[frozenset[int]] = set()
    new: list[int] = []
    old: list[int] = []
    for number in executing:
        whole = ways[number]
        if whole not in ways_within:
            ways_within[whole] = whole if within is None else whole & within
        way = ways_within[whole]
        (old if way in seen else new).append(number)
        seen.add(way)
        if len(new) == MOST:
            break
    return (new + old)[:MOST]
