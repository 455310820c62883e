"""Proves problems by their tests: each must fail behind the origin and pass behind every reference."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from runner.execution.script_judge import ScriptJudge
from runner.execution.verdicts import VerdictKind, why
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
    with ThreadPoolExecutor(workers) as pool:
        faults = list(pool.map(lambda problem: _fault(problem, judge), problems))
    return tuple(line for line in faults if line)


def _fault(problem: EditProblem, judge: ScriptJudge) -> str:
    where = f"{problem.where}: problem {problem.case_id!r}"
    if not judge.can_judge(problem.language):
        lang = problem.language or "text"
        return f"{where}: field 'lang': no command runs {lang}; give --command {lang}='PROGRAM {{test}}'"
    for number, reference in enumerate(problem.references, 1):
        verdict = judge.judge(problem.script(reference))
        reference_name = "its reference" if len(problem.references) == 1 else f"its reference {number}"
        if verdict.outcome is VerdictKind.INFRA:
            return f"{where}: its test could not be run ({why(verdict)}); see to the program or the --command"
        if verdict.outcome is not VerdictKind.PASS:
            return f"{where}: {reference_name} fails its test ({why(verdict)}); fix one of them"
    if judge.judge(problem.script(problem.origin)).outcome is VerdictKind.PASS:
        return f"{where}: its origin passes its test, so the test does not see the edit; fix the test"
    return ""
