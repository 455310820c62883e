"""Judges responses as Codev-Bench did, and step by step as we do, so that each difference has a number of its own.

| step | the file that is tested | the verdict | the response |
|---|---|---|---|
| original | what the model saw around the response | the last line that pytest prints | the last closed fence |
| whole | the true file around it | as before | as before |
| told | as before | exit code and report | as before |
| ours | as before | as before | an open fence and a text without one count, too |

Nothing is edited in place, and no command of the data is given to a shell: the tests run in a private copy, in a cell.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path
from typing import Self

from runner.execution.repository_judge import OUT_OF_TIME, Judge, limits_for
from runner.execution.verdicts import JudgeTask, Verdict, VerdictKind
from runner.pool.threads import on_threads
from runner.suites.completion.answers import from_fence
from runner.suites.completion.codev.metadatas import CodevDir
from runner.suites.completion.codev.rules import TEST_SECONDS, Checks, assembled, passed_by_last_line
from runner.suites.completion.codev.tasks import CodevTask
from runner.suites.completion.sessions import Say, silent

STEPS = ("original", "whole", "told", "ours")
BY_REPORT = STEPS[2]

# After so many answers there is a line about them.
_A_FEW = 10

JudgeOf = Callable[[Path, Path | None], Judge]


@dataclass(frozen=True, slots=True)
class StepResults:
    """Whether a response passes at each step; None where it is unknown: no checks, or a run that broke off.

    `verdict` is that of the tests at the last step, `on_response` that at the step before; None where none were run.
    """

    original: bool | None
    whole: bool | None
    told: bool | None
    ours: bool | None
    verdict: Verdict | None = field(default=None, compare=False)
    on_response: Verdict | None = field(default=None, compare=False)

    def at(self, step: str) -> bool | None:
        """The verdict at a step."""
        verdict: bool | None = getattr(self, step)
        return verdict


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer's text, and the response that the original takes from it."""

    text: str
    response: str


class _Did(Enum):
    """How the tests of a text ended, reported as the original reports it."""

    PASSED = auto()
    FAILED = auto()
    LATE = auto()


class RepositoryJudges:
    """The judges of the repositories, made as they are needed; a context manager."""

    def __init__(
        self, checks: Checks, folder: CodevDir | None, judge_of: JudgeOf, test_seconds: float = TEST_SECONDS
    ) -> None:
        """`judge_of` makes a judge of a repository, given the interpreter that it has brought, if any.

        A test may take so many seconds, ten at least.
        """
        # By the rule of ours that allows five times a test's time.
        self._seconds = test_seconds / 5
        self._checks = checks
        self._folder = folder
        self._judge_of = judge_of
        self._judges: dict[str, Judge] = {}
        self._did: dict[str, _Did] = {}
        self._made = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self._made.close()

    def judged(self, pairs: Sequence[tuple[CodevTask, Reply]], workers: int, say: Say = silent) -> list[StepResults]:
        """The verdicts on answers, in their order; `say` takes a line after every tenth of them."""
        self._open(task.repo for task, _ in pairs)
        verdicts: list[StepResults] = []
        for verdict in on_threads(workers, lambda pair: self._judged(*pair), pairs):
            verdicts.append(verdict)
            if len(verdicts) % _A_FEW == 0 and len(verdicts) < len(pairs):
                say(f"{len(verdicts)} of {len(pairs)} predictions are checked")
        return verdicts

    def _open(self, repos: Iterable[str]) -> None:
        if self._folder is None or not self._checks.unittest:
            return
        for repo in dict.fromkeys(repos):
            if repo not in self._judges:
                judge = self._judge_of(self._folder.repository(repo), self._folder.interpreter(repo))
                self._judges[repo] = self._made.enter_context(judge)

    def _judged(self, task: CodevTask, reply: Reply) -> StepResults:
        gates = self._checks.gates(task, reply.response)
        from_block = from_fence(reply.text)
        gates_from_block = self._checks.gates(task, from_block)
        if not self._checks.unittest or self._folder is None:
            return StepResults(gates, gates, gates, gates_from_block)
        cut, whole = assembled(task, reply.response), task.test_prefix + reply.response + task.test_suffix
        nodes = self._folder.node_ids(task)
        original = gates and self._as_it_did(task, cut, nodes)
        # The earlier step first: whether it took too long decides what the later ones try.
        told_whole = original if cut == whole else gates and self._as_it_did(task, whole, nodes)
        ours = task.test_prefix + from_block + task.test_suffix
        on_response = self._verdict(task, whole, nodes) if gates else None
        verdict = self._verdict(task, ours, nodes) if gates_from_block else None
        return StepResults(
            original=original,
            whole=told_whole,
            told=gates and _passed(on_response),
            ours=gates_from_block and _passed(verdict),
            verdict=verdict,
            on_response=on_response,
        )

    def _as_it_did(self, task: CodevTask, text: str, nodes: Sequence[str]) -> bool:
        """Whether all tests passed by their last lines; the same text is tried once."""
        judge, question = self._judges[task.repo], JudgeTask(task.file, text, tuple(nodes), self._seconds)
        key = question.key(judge.tree)
        if key not in self._did:
            self._did[key] = _run_as_it_did(judge, question)
        return self._did[key] is _Did.PASSED

    def _verdict(self, task: CodevTask, text: str, nodes: Sequence[str]) -> Verdict:
        judge, question = self._judges[task.repo], JudgeTask(task.file, text, tuple(nodes), self._seconds)
        if self._did.get(question.key(judge.tree)) is _Did.LATE:
            # One of its tests alone has taken the time that all of them have here.
            return Verdict(VerdictKind.TIMEOUT)
        return judge.judge(question)


def _passed(verdict: Verdict | None) -> bool | None:
    if verdict is None or verdict.outcome is VerdictKind.INFRA:
        return None
    return verdict.outcome is VerdictKind.PASS


def _run_as_it_did(judge: Judge, question: JudgeTask) -> _Did:
    """Test after test, up to the first whose last line does not say that it passed."""
    with judge.copy() as copy:
        for node in question.tests:
            ran = copy.run(question.file, question.text, ["--", node], limits_for(question.seconds))
            if ran.timed_out or ran.exit_code in OUT_OF_TIME:
                return _Did.LATE
            if not passed_by_last_line(ran.stdout.decode("utf-8", "replace")):
                return _Did.FAILED
    return _Did.PASSED


def steps_of(judged: Iterable[StepResults]) -> Mapping[str, tuple[int, int]]:
    """(judged, passed) at each step."""
    rows = list(judged)
    at = {step: [row.at(step) for row in rows if row.at(step) is not None] for step in STEPS}
    return {step: (len(verdicts), sum(map(bool, verdicts))) for step, verdicts in at.items()}
