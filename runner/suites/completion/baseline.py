"""Which tests of a repository pass every time, and which lines each of them executes."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runner.errors import InputError
from runner.execution.repository_judge import Judge
from runner.suites.completion.sessions import ALL_THE_SAME, Pass, Patience, Say, run_all, silent

Lines = Mapping[str, frozenset[int]]
_ABSENT = re.compile(r"ModuleNotFoundError: No module named '(\w+)")
_FIX = "fix that, or give --allow-failing to leave such tests out"
_FIXES = (
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
class ExecutionTrace:
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

    traces: tuple[ExecutionTrace, ...]
    left_out: tuple[str, ...]
    failing: tuple[tuple[str, str], ...] = ()
    unsteady: tuple[str, ...] = ()
    broken: tuple[tuple[str, str], ...] = ()


def baseline(
    judge: Judge,
    patience: Patience = Patience(),  # noqa: B008 - frozen
    *,
    allow_failing: bool = False,
    say: Say = silent,
) -> Baseline:
    """Run all tests twice, traced. Raises InputError where none passes, or one fails every time that may not.

    Where tests fail that may not, all are run once more without tracing. A test that ends its session costs only
    itself, and is not run again. `say` takes lines on what is done, as this may last for minutes.
    """
    words = (ALL_THE_SAME,) if allow_failing else ()
    say("all tests are run for the first time")
    first = run_all(judge, patience, (), words, say)
    if not allow_failing:
        _refuse_uncollected(first, judge)
    say("all tests are run for the second time")
    second = run_all(judge, patience, first.broken, words, say)
    runs, broken = [first, second], first.broken | second.broken
    names = _names(runs)
    passing = [name for name in names if _passes_always(name, runs)]
    left_out = tuple(sorted(set(names) - set(passing)))
    failed = [name for name in left_out if _fails_sometimes(name, runs)]
    sessions = list(runs)
    if failed and not allow_failing:
        say("tests failed: all are run once more without tracing")
        sessions.append(run_all(judge, patience, broken, ("--evals-untraced",), say))
    failing = _failing_always(failed, sessions)
    if failing and not allow_failing:
        _refuse(failing)
    if not passing:
        raise InputError(_none_passes(first, left_out))
    return Baseline(
        traces=tuple(_trace(name, runs) for name in passing),
        left_out=left_out,
        failing=tuple(failing.items()),
        unsteady=tuple(sorted(set(failed) - failing.keys() - broken.keys())),
        broken=tuple((name, why) for name, why in sorted(broken.items()) if "::" in name),
    )


def _names(runs: list[Pass]) -> list[str]:
    """The node ids of all tests of all runs, sorted, without the files whose import ended the first run."""
    names = set[str]()
    for run in runs:
        names.update(run.tests, run.broken)
    return sorted(names - runs[0].broken_files)


def _passes_always(name: str, runs: list[Pass]) -> bool:
    """Whether a test passes in every run and its node id can be written."""
    return _is_writable(name) and all(_passed(run.tests.get(name)) for run in runs)


def _fails_sometimes(name: str, runs: list[Pass]) -> bool:
    """Whether a test fails in at least one run."""
    return any(_failed(run.tests.get(name)) for run in runs)


def _failing_always(names: list[str], runs: list[Pass]) -> dict[str, str]:
    """The tests that fail in every run, each with the reason in the last."""
    failing = {}
    for name in names:
        results = [run.tests.get(name) for run in runs]
        last = results[-1]
        if last is not None and all(map(_failed, results)):
            failing[name] = str(last["why"])
    return failing


def _refuse_uncollected(run: Pass, judge: Judge) -> None:
    uncollected = run.uncollected | {name: run.broken[name] for name in run.broken_files}
    if uncollected:
        path, why = next(iter(uncollected.items()))
        raise InputError(f"{path} cannot be imported ({len(uncollected)} such): {why}; {_fix(why, judge)}")


def _fix(why: str, judge: Judge) -> str:
    """What helps against an error of an import."""
    if "PackageNotFoundError" in why:
        return "its metadata is not there: --install a command that installs it, such as `pip install pytest .`"
    absent = _ABSENT.search(why)
    if absent is None:
        return _FIX
    if any(path.startswith((f"{absent[1]}/", f"src/{absent[1]}/")) for path in judge.files):
        return "the repository's own build makes it: run that in place, such as by `pip install -e .`, and build again"
    return "give --python an interpreter that has it, or --install a command that installs it"


def _refuse(failing: dict[str, str]) -> None:
    name, why = next(iter(failing.items()))
    fix = next((fix for pattern, fix in _FIXES if pattern.search(why)), _FIX)
    raise InputError(f"{len(failing)} tests fail every time, such as {name}: {why}; {fix}")


def _none_passes(run: Pass, left_out: tuple[str, ...]) -> str:
    if run.uncollected:
        path, why = next(iter(run.uncollected.items()))
        return f"no test can be run: {path} cannot be imported: {why}; give --python or --install what it needs"
    if not left_out:
        return "there are no tests that pytest finds; give the root of a repository with tests as --repo"
    why = run.broken.get(left_out[0]) or run.tests.get(left_out[0], {"why": ""})["why"]
    example = f", such as {left_out[0]}" + (f": {why}" if why else "")
    return f"none of {len(left_out)} tests passes every time{example}; fix that, or give another --python"


def _is_writable(name: str) -> bool:
    """Whether a node id can be written as UTF-8, which that of a file with another name cannot."""
    return not any("\ud800" <= letter <= "\udfff" for letter in name)


def _passed(test: dict[str, Any] | None) -> bool:
    """Whether each phase passed: an expected failure or a skip shows nothing."""
    return test is not None and test["outcomes"] == {"setup": "passed", "call": "passed", "teardown": "passed"}


def _failed(test: dict[str, Any] | None) -> bool:
    return test is not None and "failed" in test["outcomes"].values()


def _trace(name: str, runs: list[Pass]) -> ExecutionTrace:
    seconds = min(float(run.tests[name]["seconds"]) for run in runs)
    return ExecutionTrace(name, _common_lines(name, "call", runs), _common_lines(name, "setup", runs), seconds)


def _common_lines(name: str, phase: str, runs: list[Pass]) -> Lines:
    """The lines that a phase of a test executes in every run: lines that are executed by chance prove nothing."""
    first, *others = (run.tests[name][phase] for run in runs)
    common = {}
    for path, lines in first.items():
        in_every_run = frozenset(lines).intersection(*(other.get(path, ()) for other in others))
        if in_every_run:
            common[path] = in_every_run
    return common
