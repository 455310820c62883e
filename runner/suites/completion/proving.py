"""The proof that tests see a hole: they pass with the truth, twice, and fail with something cheap and wrong in it."""

from dataclasses import dataclass, replace

from runner.execution.repository_judge import Judge
from runner.execution.verdicts import JudgeTask, Verdict, VerdictKind
from runner.suites.completion.choosing import Chosen, Reach, choose
from runner.suites.completion.dataset import Dataset, Proof, Survivor, Task, TriedMutant
from runner.suites.completion.holes import Hole, fillings
from runner.suites.completion.mutants import mutants_of

_TRUTHS = 2
_CHOICES = 8
# Of mutants that do not compile, or end in another way that says nothing, so many are passed over.
_PASSED_OVER = 3
_KILLED = frozenset({VerdictKind.FAIL, VerdictKind.TIMEOUT})


@dataclass(frozen=True, slots=True)
class Unproved:
    """A hole that cannot be judged: its truth fails by these tests alone, or no filling could be tried.

    `failing` is the test that failed with the truth, if that is known.
    """

    hole: Hole
    reason: str
    failing: str | None = None


def prove_by_some(
    judge: Judge, hole: Hole, data: bytes, reach: Reach, mutants: int = 0
) -> tuple[Chosen, Proof | Survivor | Unproved]:
    """The tests chosen for a hole, and what they prove, with so many mutants.

    Tests that fail without those that used to run before them are exchanged for others, a few of them.
    """
    chosen = choose(hole.block, hole.span, reach)
    result = prove(judge, hole, data, chosen)
    failing: set[str] = set()
    for _ in range(_CHOICES):
        if not isinstance(result, Unproved) or result.failing not in chosen.tests:
            break
        failing.add(result.failing)
        other = choose(hole.block, hole.span, reach, failing)
        if not other.tests:
            break
        chosen, result = other, prove(judge, hole, data, other)
    if isinstance(result, Proof) and mutants:
        result = replace(result, mutants=_tried(judge, hole, data, chosen, mutants))
    return chosen, result


def _tried(judge: Judge, hole: Hole, data: bytes, chosen: Chosen, count: int) -> tuple[TriedMutant, ...]:
    """Return how tests end with mutants of the truth, as many as are wanted or as there are."""
    tried: list[TriedMutant] = []
    for mutant in mutants_of(hole, data)[: count + _PASSED_OVER]:
        text = data[: hole.span.start].decode() + mutant.text + data[hole.span.end :].decode()
        outcome = _ask(judge, hole.file, text, chosen, 0).outcome
        if outcome in _KILLED or outcome is VerdictKind.PASS:
            tried.append(TriedMutant(mutant.line, mutant.old, mutant.new, str(outcome)))
        if len(tried) == count:
            break
    return tuple(tried)


def prove(judge: Judge, hole: Hole, data: bytes, chosen: Chosen) -> Proof | Survivor | Unproved:
    """Try the truth, then the fillings up to the first that is killed; one that does not compile proves nothing."""
    for repeat in range(_TRUTHS):
        verdict = _ask(judge, hole.file, data.decode(), chosen, repeat)
        if verdict.outcome is not VerdictKind.PASS:
            return Unproved(hole, f"the truth ends as {verdict.outcome} by these tests alone", verdict.failing)
    tried = []
    for filling in fillings(hole, data):
        text = data[: hole.span.start].decode() + filling.text + data[hole.span.end :].decode()
        if text == data.decode():
            continue
        verdict = _ask(judge, hole.file, text, chosen, 0)
        if verdict.outcome in _KILLED:
            return Proof(filling.name, filling.text, str(verdict.outcome), verdict.failing)
        if verdict.outcome is VerdictKind.PASS:
            tried.append(filling.text)
    if not tried:
        return Unproved(hole, "no wrong filling could be tried")
    return Survivor(hole.file, hole.type, hole.span, chosen.tests, tuple(tried))


def _ask(judge: Judge, file: str, text: str, chosen: Chosen, repeat: int) -> Verdict:
    return judge.judge(JudgeTask(file, text, chosen.tests, chosen.seconds, repeat))


@dataclass(frozen=True, slots=True)
class Refuted:
    """A task whose proof does not hold any more, and what was found instead."""

    task_id: str
    reason: str


def prove_again(judge: Judge, dataset: Dataset, task: Task) -> Refuted | None:
    """Whether the truth still passes and the recorded filling is still killed; None for a proof that holds."""
    if task.proof is None:
        return None
    for filling, expected in ((dataset.truth(task), {VerdictKind.PASS}), (task.proof.filling, _KILLED)):
        question = JudgeTask(task.file, dataset.assembled(task, filling), task.tests, task.seconds)
        verdict = judge.judge(question)
        if verdict.outcome not in expected:
            text = "the truth" if filling == dataset.truth(task) else f"the filling {task.proof.killed_by!r}"
            return Refuted(task.task_id, f"{text} ends as {verdict.outcome}")
    return None
