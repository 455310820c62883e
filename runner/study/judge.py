"""Labels mutants by their problems' own tests, each in a cell of its own."""

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from runner.errors import InputError
from runner.execution.isolation import strongest
from runner.execution.script_judge import Script, ScriptJudge, search_path
from runner.execution.verdicts import VerdictKind, why
from runner.metrics import TooLargeError
from runner.metrics.labelled_answers import LabelledAnswer, Problem, answer, read_problems
from runner.metrics.mutants import Mutant, mutants
from runner.pool.threads import on_threads


def mutants_of(
    folder: Path, environ: Mapping[str, str], *, rounds: int, seed: int, advance: Callable[[], object]
) -> list[LabelledAnswer]:
    """Return the labelled mutants of a folder's problems, judged on all processors. Raises InputError as below."""
    problems = read_problems(folder).values()
    # Mutants are changed copies of the user's own code: where no cell can be made, limits are enough for them.
    judge, workers = ScriptJudge(search_path(environ), strongest()), os.cpu_count() or 1
    return judged_mutants(problems, judge, rounds=rounds, seed=seed, workers=workers, advance=advance)


def judged_mutants(
    problems: Iterable[Problem],
    judge: ScriptJudge,
    *,
    rounds: int,
    seed: int,
    workers: int,
    advance: Callable[[], object] = lambda: None,
) -> list[LabelledAnswer]:
    """Mutants of every problem's first reference, labelled by the problem's test; their kind stands for a model.

    Raises InputError for a problem that cannot be judged: no test, not Python, or a test that its own reference
    fails or its origin passes; and where a test could not be run.
    """
    by_name = {problem.name: problem for problem in problems}
    mutants: list[Mutant] = []
    for problem in by_name.values():
        _check(problem, judge)
        mutants += _mutants(problem, rounds, seed)

    def label(mutant: Mutant) -> LabelledAnswer:
        problem = by_name[mutant.problem]
        verdict = judge.judge(_script(problem, mutant.text))
        if verdict.outcome is VerdictKind.INFRA:
            raise InputError(f"problem {mutant.problem!r}: its test could not be run ({why(verdict)}); try again")
        advance()
        return answer(problem, mutant.text, model=mutant.kind, passed=verdict.outcome is VerdictKind.PASS)

    answers = on_threads(workers, label, mutants)
    return sorted(answers, key=lambda answer: answer.problem)


def _mutants(problem: Problem, rounds: int, seed: int) -> list[Mutant]:
    try:
        return list(mutants(problem, rounds=rounds, seed=seed))
    except TooLargeError as error:
        raise InputError(f"problem {problem.name!r}: {error}; leave the problem out") from None


def _script(problem: Problem, program: str) -> Script:
    return Script(problem.language, program, problem.test or "", problem.references[0])


def _check(problem: Problem, judge: ScriptJudge) -> None:
    where = f"problem {problem.name!r}"
    if not judge.can_judge(problem.language):
        raise InputError(f"{where}: field 'lang' must be python to be judged; leave the problem out")
    if not problem.test:
        raise InputError(f"{where}: field 'test' is missing; add a script that fails on a wrong answer")
    verdict = judge.judge(_script(problem, problem.references[0]))
    if verdict.outcome is not VerdictKind.PASS:
        raise InputError(f"{where}: its reference fails its test ({why(verdict)}); fix one of them")
    if judge.judge(_script(problem, problem.origin)).outcome is VerdictKind.PASS:
        raise InputError(f"{where}: its origin passes its test, so no label would mean anything; fix the test")
