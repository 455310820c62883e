"""Which tests of a repository pass every time, and which lines each of them executes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from math import ceil
from pathlib import Path
from typing import Any

import orjson

from runner.errors import InputError
from runner.sandbox import Limits, Ran
from runner.suites.completion.judge import Judge

Lines = Mapping[str, frozenset[int]]
_RUNS = 2
_GIGABYTE = 1 << 30


@dataclass(frozen=True, slots=True)
class Trace:
    """What a passing test executes: lines of functions by file, in its call and in fixtures; seconds, rounded up."""

    test: str
    call: Lines
    fixtures: Lines
    seconds: int

    @property
    def weight(self) -> int:
        """How many lines it executes: the same in every run, which its duration is not."""
        return sum(map(len, self.call.values())) + sum(map(len, self.fixtures.values()))


@dataclass(frozen=True, slots=True)
class Baseline:
    """The traces of the tests that pass every time, sorted by node id, and the ids of the others."""

    traces: tuple[Trace, ...]
    left_out: tuple[str, ...]


def baseline(judge: Judge, *, wall_s: float = 1800.0, allow_failing: bool = False) -> Baseline:
    """Run all tests twice, traced. Raises InputError where none passes, or one fails that may not."""
    runs = [_run(judge, wall_s) for _ in range(_RUNS)]
    names = sorted({name for run in runs for name in run})
    passing = {name for name in names if all(_passed(run.get(name)) for run in runs)}
    left_out = tuple(name for name in names if name not in passing)
    failing = [name for name in left_out if any(_failed(run.get(name)) for run in runs)]
    if failing and not allow_failing:
        raise InputError(f"{len(failing)} tests fail, such as {failing[0]}; mend them, or give --allow-failing")
    if not passing:
        raise InputError("no test passes; is --python the interpreter that has what the tests need?")
    return Baseline(tuple(_trace(name, runs) for name in names if name in passing), left_out)


def _run(judge: Judge, wall_s: float) -> dict[str, Any]:
    limits = Limits(wall_s=wall_s, cpu_s=wall_s, memory_bytes=8 * _GIGABYTE, file_bytes=_GIGABYTE)
    plugin = Path(str(files("runner.suites.completion").joinpath("tracer.py")))
    words = ["-q", "-p", "no:cacheprovider", "-p", "evals_tracer"]
    with judge.copy() as copy:
        ran = copy.run(None, "", words, limits, plugin)
        written = copy.report("trace.json")
        if written is None:
            raise InputError(f"the tests cannot be run: {_reason(ran)}")
        tests: dict[str, Any] = orjson.loads(written)["tests"]
        return tests


def _reason(ran: Ran) -> str:
    if ran.timed_out:
        return f"no end after {ran.wall_s:.0f} s"
    said = (ran.stdout + ran.stderr).decode(errors="replace")
    return next((line for line in reversed(said.splitlines()) if line.strip()), f"exit code {ran.exit_code}")


def _passed(test: dict[str, Any] | None) -> bool:
    """Whether each phase passed: an expected failure or a skip shows nothing."""
    return test is not None and test["outcomes"] == {"setup": "passed", "call": "passed", "teardown": "passed"}


def _failed(test: dict[str, Any] | None) -> bool:
    return test is not None and "failed" in test["outcomes"].values()


def _trace(name: str, runs: list[dict[str, Any]]) -> Trace:
    # Only lines of every run: what chance executes is no ground to stand on.
    def common(phase: str) -> Lines:
        first, *others = (dict(_lines(run[name][phase])) for run in runs)
        return {
            path: both
            for path, lines in first.items()
            if (both := lines.intersection(*(other.get(path, ()) for other in others)))
        }

    slowest = max(run[name]["seconds"] for run in runs)
    return Trace(name, common("call"), common("setup"), max(1, ceil(slowest)))


def _lines(by_file: dict[str, list[int]]) -> Iterator[tuple[str, frozenset[int]]]:
    for path, lines in by_file.items():
        yield path, frozenset(lines)
