"""Which tests of a repository pass every time, and which lines each of them executes."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from runner.errors import InputError
from runner.execution.repository_judge import Judge
from runner.suites.completion.sessions import ALL_THE_SAME, Pass, Patience, run_all

Lines = Mapping[str, frozenset[int]]
_ABSENT = re.compile(r"ModuleNotFoundError: No module named '(\w+)")
_MEND = "mend that, or give --allow-failing to leave such tests out"
_MENDS = (
    (
        re.compile(r"^fixture '\w+' not found|^async def functions are not natively supported"),
        "give --python an interpreter that has the plug-in it needs, or --install it, or give --allow-failing",
    ),
    (
        re.compile(r"\[Errno -?\d+\] (Network is unreachable|Temporary failure in name resolution|Name or service)"),
        "tests run without a network: give --allow-failing to leave those out that need it",
    ),
)


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

    Of the others, `failing` are those that fail every time, and why; `unsteady` are those that fail sometimes: by
    chance, or because their lines are followed; `broken` are those that ended all tests, or did not end, and how.
    """

    traces: tuple[Trace, ...]
    left_out: tuple[str, ...]
    failing: tuple[tuple[str, str], ...] = ()
    unsteady: tuple[str, ...] = ()
    broken: tuple[tuple[str, str], ...] = ()


def baseline(judge: Judge, patience: Patience = Patience(), *, allow_failing: bool = False) -> Baseline:  # noqa: B008 - frozen
    """Run all tests twice, traced. Raises InputError where none passes, or one fails every time that may not.

    Where tests fail that may not, all are run once more as if nobody looked. What breaks a session off costs only
    itself, and is not run again.
    """
    words = (ALL_THE_SAME,) if allow_failing else ()
    first = run_all(judge, patience, (), words)
    if not allow_failing:
        _refuse_uncollected(first, judge)
    second = run_all(judge, patience, first.broken, words)
    runs, broken = [first, second], first.broken | second.broken
    names = sorted({name for run in runs for name in (*run.tests, *run.broken)} - first.broken_files)
    passing = {name for name in names if all(_passed(run.tests.get(name)) for run in runs) and _can_be_told(name)}
    left_out = tuple(name for name in names if name not in passing)
    failed = [name for name in left_out if any(_failed(run.tests.get(name)) for run in runs)]
    looks = runs if allow_failing or not failed else [*runs, run_all(judge, patience, broken, ("--evals-untraced",))]
    failing = {name: why for name in failed if (why := _fails_always(name, looks)) is not None}
    if failing and not allow_failing:
        _refuse(failing)
    if not passing:
        raise InputError(_none_passes(first, left_out))
    return Baseline(
        traces=tuple(_trace(name, runs) for name in names if name in passing),
        left_out=left_out,
        failing=tuple(failing.items()),
        unsteady=tuple(name for name in failed if name not in failing and name not in broken),
        broken=tuple((name, why) for name, why in sorted(broken.items()) if "::" in name),
    )


def _fails_always(name: str, runs: list[Pass]) -> str | None:
    """Why a test failed, if it did in every run."""
    told = [run.tests.get(name) for run in runs]
    return str(told[-1]["why"]) if all(map(_failed, told)) and told[-1] is not None else None


def _refuse_uncollected(run: Pass, judge: Judge) -> None:
    uncollected = run.uncollected | {name: run.broken[name] for name in run.broken_files}
    if uncollected:
        path, why = next(iter(uncollected.items()))
        raise InputError(f"{path} cannot be imported ({len(uncollected)} such): {why}; {_mend(why, judge)}")


def _mend(why: str, judge: Judge) -> str:
    """What helps against an error of an import."""
    if "PackageNotFoundError" in why:
        return "its metadata is not there: --install a command that installs it, such as `pip install pytest .`"
    absent = _ABSENT.search(why)
    if absent is None:
        return _MEND
    if any(path.startswith((f"{absent[1]}/", f"src/{absent[1]}/")) for path in judge.files):
        return "the repository's own build makes it: run that in place, such as by `pip install -e .`, and build again"
    return "give --python an interpreter that has it, or --install a command that installs it"


def _refuse(failing: dict[str, str]) -> None:
    name, why = next(iter(failing.items()))
    mend = next((mend for pattern, mend in _MENDS if pattern.search(why)), _MEND)
    raise InputError(f"{len(failing)} tests fail every time, such as {name}: {why}; {mend}")


def _none_passes(run: Pass, left_out: tuple[str, ...]) -> str:
    if run.uncollected:
        path, why = next(iter(run.uncollected.items()))
        return f"no test can be run: {path} cannot be imported: {why}; give --python or --install what it needs"
    if not left_out:
        return "there are no tests that pytest finds; give the root of a repository with tests as --repo"
    why = run.broken.get(left_out[0]) or run.tests.get(left_out[0], {"why": ""})["why"]
    told = f", such as {left_out[0]}" + (f": {why}" if why else "")
    return f"none of {len(left_out)} tests passes every time{told}; mend that, or give another --python"


def _can_be_told(name: str) -> bool:
    """Whether a node id can be written as UTF-8, which that of a file with another name cannot."""
    return not any("\ud800" <= letter <= "\udfff" for letter in name)


def _passed(test: dict[str, Any] | None) -> bool:
    """Whether each phase passed: an expected failure or a skip shows nothing."""
    return test is not None and test["outcomes"] == {"setup": "passed", "call": "passed", "teardown": "passed"}


def _failed(test: dict[str, Any] | None) -> bool:
    return test is not None and "failed" in test["outcomes"].values()


def _trace(name: str, runs: list[Pass]) -> Trace:
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
