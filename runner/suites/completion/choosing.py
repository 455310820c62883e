"""Which tests judge a hole: those that execute it, few, light, and on different ways through its function."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from runner.suites.completion.baseline import Trace
from runner.suites.completion.blocks import Block
from runner.suites.completion.dataset import Span

MOST = 8
# Few and far apart, so that one build and the next, on a busier machine, say the same.
_SECONDS = (1, 4, 16, 64, 256)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The tests that are run, how many there would be, and seconds that those which are run do not take, roughly."""

    tests: tuple[str, ...]
    total: int
    seconds: int


def choose(block: Block, file: str, hole: Span, traces: Iterable[Trace]) -> Chosen:
    """The tests for a hole of a file; those of the whole file for an import outside of functions."""
    anywhere = block.type == "IMPORT" and block.function is None
    wanted = frozenset(range(hole.start_line, hole.end_line + 1))
    executing = [trace for trace in traces if anywhere or _executes(trace, file, wanted)]
    if anywhere:
        executing = [trace for trace in executing if trace.call.get(file) or trace.fixtures.get(file)]
    around = block.function.span if block.function is not None else None

    def order(trace: Trace) -> tuple[bool, int, str]:
        """Those that reach the lines themselves before those that do by fixtures; then the light ones."""
        return wanted.isdisjoint(trace.call.get(file, ())), trace.weight, trace.test

    picked = _on_different_ways(sorted(executing, key=order), file, around)
    return Chosen(tuple(one.test for one in picked), len(executing), _roughly(sum(one.seconds for one in picked)))


def _roughly(seconds: float) -> int:
    return next((bound for bound in _SECONDS if seconds <= bound), ceil(seconds))


def _executes(trace: Trace, file: str, lines: frozenset[int]) -> bool:
    return not lines.isdisjoint(trace.call.get(file, ())) or not lines.isdisjoint(trace.fixtures.get(file, ()))


def _on_different_ways(traces: Sequence[Trace], file: str, around: Span | None) -> list[Trace]:
    seen: set[frozenset[int]] = set()
    new: list[Trace] = []
    old: list[Trace] = []
    for trace in traces:
        way = _way(trace, file, around)
        (old if way in seen else new).append(trace)
        seen.add(way)
    return (new + old)[:MOST]


def _way(trace: Trace, file: str, around: Span | None) -> frozenset[int]:
    lines = trace.call.get(file, frozenset()) | trace.fixtures.get(file, frozenset())
    if around is None:
        return lines
    return frozenset(line for line in lines if around.start_line <= line <= around.end_line)
