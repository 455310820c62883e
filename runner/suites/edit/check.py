"""Proves problems by their tests: each must fail behind the origin and pass behind every reference."""

import re
from collections.abc import Iterable
from pathlib import Path

from runner.execution.script_commands import PYTHON
from runner.execution.script_judge import ScriptJudge
from runner.execution.toolchains import TOOLCHAINS
from runner.execution.verdicts import Verdict, VerdictKind, why
from runner.pool.threads import on_threads
from runner.suites.edit.problems import EditProblem, read_problems


def checked(
    path: Path, judge: ScriptJudge, workers: int, most: int | None = None
) -> tuple[tuple[EditProblem, ...], tuple[str, ...]]:
    """The problems of a file that can be read, and a line about all that is wrong; only the first `most` are proved.

    Raises InputError where the file cannot be read.
    """
    problems, findings = read_problems(path)
    return problems, findings + prove(problems[:most], judge, workers)


def prove(problems: Iterable[EditProblem], judge: ScriptJudge, workers: int) -> tuple[str, ...]:
    """A line about each problem that proves nothing, in their order."""
    faults = on_threads(workers, lambda problem: _fault(problem, judge), problems)
    return tuple(line for line in faults if line)


_MISSING = (
    re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'"),
    re.compile(r"Error: Cannot find module '([^'./][^']*)'"),
    re.compile(r"error: package ([\w.]+) does not exist"),
    re.compile(r"fatal error: ([\w./+-]+): No such file or directory"),
    re.compile(r"error\[E0432\]: unresolved import `(\w+)"),
    re.compile(r"no required module provides package ([\w./-]+)"),
)


def missing_library(verdict: Verdict) -> str | None:
    """Return the library that a run did not find, by what its language prints of it."""
    if verdict.outcome is VerdictKind.PASS:
        return None
    text = f"{verdict.failing}\n{verdict.log}"
    return next((match[1] for pattern in _MISSING if (match := pattern.search(text))), None)


def _environment(language: str | None) -> str:
    if language == PYTHON:
        return "install it in an environment, and name that by --python, or pin it in the file of --env"
    return f"install it in an environment, and name that by --command {language or 'text'}=..."


def _unknown(language: str, path: str) -> str:
    toolchain = TOOLCHAINS.get(language)
    instead = f"give --command {language}='PROGRAM {{test}}'"
    if toolchain is None:
        return f"no command runs {language}; {instead}"
    return f"{language} needs {toolchain.missing(path)}, which is not installed; install it, or {instead}"


def _fault(problem: EditProblem, judge: ScriptJudge) -> str:
    where = f"{problem.where}: problem {problem.case_id!r}"
    if not judge.can_judge(problem.language):
        return f"{where}: field 'lang': {_unknown(problem.language or 'text', judge.path)}"
    for number, reference in enumerate(problem.references, 1):
        verdict = judge.judge(problem.script(reference))
        reference_name = "its reference" if len(problem.references) == 1 else f"its reference {number}"
        if verdict.outcome is VerdictKind.INFRA:
            return f"{where}: its test could not be run ({why(verdict)}); see to the program or the --command"
        if library := missing_library(verdict):
            return f"{where}: its test needs {library}, which is not installed; {_environment(problem.language)}"
        if verdict.outcome is not VerdictKind.PASS:
            return f"{where}: {reference_name} fails its test ({why(verdict)}); fix one of them"
    if judge.judge(problem.script(problem.origin)).outcome is VerdictKind.PASS:
        return f"{where}: its origin passes its test, so the test does not see the edit; fix the test"
    return ""
