"""Which tests of a repository pass every time, and which lines each of them executes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
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
    """What a passing test executes: lines of functions by file, in its call and in fixtures; seconds, while traced."""

    test: str
    call: Lines
    fixtures: Lines
    seconds: float

    @property
    def weight(self) -> int:
        """How many lines it executes: the same in every run, which its duration is not."""
        return sum(map(len, self.call.values())) + sum(map(len, self.fixtures.values()))


@dataclass(frozen=True, slots=True)
class Baseline:
    """The traces of the tests that pass every time, sorted by node id, and the ids of the others.

    `unsteady` are those of the others that fail sometimes: by chance, or because their lines are followed.
    """

    traces: tuple[Trace, ...]
    left_out: tuple[str, ...]
    unsteady: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Run:
    """What the plug-in wrote down: the tests by node id, and why files could not be collected."""

    tests: dict[str, Any]
    uncollected: dict[str, str]


def baseline(judge: Judge, *, wall_s: float = 1800.0, allow_failing: bool = False) -> Baseline:
    """Run all tests twice, traced. Raises InputError where none passes, or one fails every time that may not.

    Where tests fail that may not, all are run once more as if nobody looked.
    """
    runs = [_run(judge, wall_s) for _ in range(_RUNS)]
    names = sorted({name for run in runs for name in run.tests})
    passing = {name for name in names if all(_passed(run.tests.get(name)) for run in runs)}
    left_out = tuple(name for name in names if name not in passing)
    failed = [name for name in left_out if any(_failed(run.tests.get(name)) for run in runs)]
    if not allow_failing:
        looks = [*runs, _run(judge, wall_s, "--evals-untraced")] if failed else runs
        failing = {name: why for name in failed if (why := _fails_always(name, looks)) is not None}
        _refuse(failing, runs[0].uncollected)
        unsteady = tuple(failed)
    else:
        unsteady = tuple(name for name in failed if _fails_always(name, runs) is None)
    if not passing:
        raise InputError(_none_passes(runs[0], left_out))
    return Baseline(tuple(_trace(name, runs) for name in names if name in passing), left_out, unsteady)


def _fails_always(name: str, runs: list[_Run]) -> str | None:
    """Why a test failed, if it did in every run."""
    told = [run.tests.get(name) for run in runs]
    return str(told[-1]["why"]) if all(map(_failed, told)) and told[-1] is not None else None


def _refuse(failing: dict[str, str], uncollected: dict[str, str]) -> None:
    mend = "mend that, or give --allow-failing to leave such tests out"
    if uncollected:
        path, why = next(iter(uncollected.items()))
        if "ModuleNotFoundError" in why:
            mend = "give --python an interpreter that has it, or --install a command that installs it"
        raise InputError(f"{path} cannot be imported ({len(uncollected)} such): {why}; {mend}")
    if failing:
        name, why = next(iter(failing.items()))
        raise InputError(f"{len(failing)} tests fail every time, such as {name}: {why}; {mend}")


def _none_passes(run: _Run, left_out: tuple[str, ...]) -> str:
    if run.uncollected:
        path, why = next(iter(run.uncollected.items()))
        return f"no test can be run: {path} cannot be imported: {why}; give --python or --install what it needs"
    if not left_out:
        return "there are no tests that pytest finds; give the root of a repository with tests as --repo"
    why = next((run.tests[name]["why"] for name in left_out if name in run.tests), "")
    told = f", such as {left_out[0]}" + (f": {why}" if why else "")
    return f"none of {len(left_out)} tests passes every time{told}; mend that, or give another --python"


def _run(judge: Judge, wall_s: float, *words: str) -> _Run:
    limits = Limits(wall_s=wall_s, cpu_s=wall_s, memory_bytes=8 * _GIGABYTE, file_bytes=_GIGABYTE)
    plugin = Path(str(files("runner.suites.completion").joinpath("tracer.py")))
    fixed = ["-q", "-p", "no:cacheprovider", "-p", "evals_tracer", "--continue-on-collection-errors"]
    with judge.copy() as copy:
        ran = copy.run(None, "", [*fixed, *words], limits, plugin)
        written = copy.report("trace.json")
        if written is None:
            raise InputError(f"the tests cannot be run: {_reason(ran)}")
        told = orjson.loads(written)
        return _Run(told["tests"], told["uncollected"])


def _reason(ran: Ran) -> str:
    """The line that tells why: the last that speaks of an error, or else the last."""
    if ran.timed_out:
        return f"no end after {ran.wall_s:.0f} s"
    lines = [line.strip() for line in (ran.stdout + ran.stderr).decode(errors="replace").splitlines() if line.strip()]
    telling = [line for line in lines if "error:" in line.lower() and "usage:" not in line]
    return [f"exit code {ran.exit_code}", *lines[-1:], *telling][-1]


def _passed(test: dict[str, Any] | None) -> bool:
    """Whether each phase passed: an expected failure or a skip shows nothing."""
    return test is not None and test["outcomes"] == {"setup": "passed", "call": "passed", "teardown": "passed"}


def _failed(test: dict[str, Any] | None) -> bool:
    return test is not None and "failed" in test["outcomes"].values()


def _trace(name: str, runs: list[_Run]) -> Trace:
    # Only lines of every run: what chance executes is no ground to stand on.
    def common(phase: str) -> Lines:
        first, *others = (dict(_lines(run.tests[name][phase])) for run in runs)
        return {
            path: both
            for path, lines in first.items()
            if (both := lines.intersection(*(other.get(path, ()) for other in others)))
        }

    seconds = min(float(run.tests[name]["seconds"]) for run in runs)
    return Trace(name, common("call"), common("setup"), seconds)


def _lines(by_file: dict[str, list[int]]) -> Iterator[tuple[str, frozenset[int]]]:
    for path, lines in by_file.items():
        yield path, frozenset(lines)
