"""Asks models what Codev-Bench asked chat models, one question per task; its checks come later, over all answers."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from prompts import Prompt
from runner.records import Result
from runner.run.engine import Lane
from runner.run.plan import Plan
from runner.run.protocols import Ask, TruthOf
from runner.run.suite import Attempts, Prepared, Say
from runner.storage.ledger import Question
from runner.suites.completion.codev.plan import CodevDetail
from runner.suites.completion.codev.rules import question_of
from runner.suites.completion.codev.score import scoring_of
from runner.suites.completion.codev.tasks import CodevTask
from suts.sut import Hole, Message, Request, Sampling, Truth

# Neither a statement nor a part of one.
_WRONG = ")("
_NEXT = "\n\n\ndef further("


@contextmanager
def attempt(plan: Plan[CodevDetail], _say: Say) -> Iterator[Prepared]:
    """How the attempts of a plan are made."""
    detail, sampling = plan.detail, plan.options.sampling
    tasks = {task.case_id: task for task in detail.tasks}

    async def attempt_lane(lane: Lane, ask: Ask, number: int) -> Result:
        """Ask once; every answer counts, one without a fence as an empty response."""
        task = tasks[lane.key.case_id]
        completion = await ask(_request(detail.prompt, task, sampling), number=number)
        return Result(valid=True, scorings=(scoring_of(task.middle, completion),), cost_usd=completion.cost_usd)

    def begin(_lanes: Sequence[Lane]) -> Attempts:
        return Attempts(attempt_lane, plan.suts, truth=_truth_of(tasks, plan.options.seed))

    yield Prepared(detail.run, begin)


def _request(prompt: Prompt, task: CodevTask, sampling: Sampling) -> Request:
    return Request(prompt.wording, (Message("user", f"{question_of(task.prompt)}\n\nCompletion:"),), sampling)


def _truth_of(tasks: dict[str, CodevTask], seed: int) -> TruthOf:
    def truth(question: Question, about: object = None) -> Truth:  # noqa: ARG001 - the Protocol names it
        middle = tasks[question.lane.case_id].middle
        wrong = {"wrong": _WRONG, "over_run": middle + _NEXT, **({"empty": ""} if middle else {})}
        hole = Hole(middle, wrong, fenced=True)
        return Truth(question.lane.case_id, question.number, seed=seed, hole=hole)

    return truth
