"""Labels mutants by their problems' own tests, each in a sandbox of its own."""

import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from runner.errors import InputError
from runner.metrics import TooLargeError
from runner.sandbox import Limits, Ran, run
from runner.study.answers import Answer, Problem, answer
from runner.study.mutants import Mutant, mutants

# Tests of single functions: what takes longer than this hangs.
LIMITS = Limits(wall_s=10.0, cpu_s=5.0, memory_bytes=1 << 30, file_bytes=1 << 20)


def judged_mutants(
    problems: Iterable[Problem],
    *,
    rounds: int,
    seed: int,
    workers: int,
    advance: Callable[[], object] = lambda: None,
) -> list[Answer]:
    """Mutants of every problem's first reference, labelled by the problem's test; their kind stands for a model.

    Raises InputError for a problem that cannot be judged: no test, not Python, or a test that its own reference
    fails or its origin passes.
    """
    by_name = {problem.name: problem for problem in problems}
    made: list[Mutant] = []
    for problem in by_name.values():
        _check(problem)
        made += _mutants(problem, rounds, seed)

    def judge(mutant: Mutant) -> Answer:
        problem = by_name[mutant.problem]
        passed = passes(mutant.text, problem.test or "")
        advance()
        return answer(problem, mutant.text, model=mutant.kind, passed=passed)

    with ThreadPoolExecutor(workers) as pool:
        answers = list(pool.map(judge, made))
    return sorted(answers, key=lambda found: found.problem)


def _mutants(problem: Problem, rounds: int, seed: int) -> list[Mutant]:
    try:
        return list(mutants(problem, rounds=rounds, seed=seed))
    except TooLargeError as error:
        raise InputError(f"problem {problem.name!r}: {error}; leave the problem out") from None


def passes(program: str, test: str) -> bool:
    """Whether the program with its test behind it ends well within the limits."""
    return _run(program, test).exit_code == 0


def _check(problem: Problem) -> None:
    where = f"problem {problem.name!r}"
    if problem.language != "python":
        raise InputError(f"{where}: field 'lang' must be python to be judged; leave the problem out")
    if not problem.test:
        raise InputError(f"{where}: field 'test' is missing; add a script that fails on a wrong answer")
    ran = _run(problem.references[0], problem.test)
    if ran.exit_code != 0:
        raise InputError(f"{where}: its reference fails its test ({_reason(ran)}); mend one of them")
    if passes(problem.origin, problem.test):
        raise InputError(f"{where}: its origin passes its test, so no label would mean anything; mend the test")


def _reason(ran: Ran) -> str:
    if ran.timed_out:
        return f"no end after {LIMITS.wall_s:g} s"
    lines: Sequence[str] = ran.stderr.decode(errors="replace").split("\n")
    return next((line for line in reversed(lines) if line.strip()), f"exit code {ran.exit_code}")


def _run(program: str, test: str) -> Ran:
    with TemporaryDirectory(prefix="evals-judge-") as folder:
        script = Path(folder) / "answer.py"
        script.write_text(f"{program}\n{test}\n", encoding="utf-8")
        # Isolated: an answer finds neither the folder it runs in nor anything of the user's.
        command = [sys.executable, "-I", "-B", script.name]
        return run(command, cwd=Path(folder), limits=LIMITS, env={"HOME": folder, "PYTHONHASHSEED": "0"})
