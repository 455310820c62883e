"""Asks about pairs of edits, each until an answer names a relation."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from runner.records import Result
from runner.run.engine import Lane
from runner.run.plan import Plan
from runner.run.protocols import Ask, TruthOf
from runner.run.suite import Attempts, Prepared, Say
from runner.storage.ledger import Question
from runner.storage.runs import RunPlan
from runner.suites.nextedit.order.pairs import PairQuestion, answer_text, wording
from runner.suites.nextedit.relations.options import RelationOptions
from runner.suites.nextedit.relations.score import scored
from suts.sut import Message, Request, Truth


@contextmanager
def attempt(plan: Plan[RunPlan], _say: Say) -> Iterator[Prepared]:
    """How questions are attempted: each is asked until an answer names a relation."""
    assert isinstance(plan.options, RelationOptions)
    questions = {question.case_id: question for question in plan.options.questions}

    async def attempt_lane(lane: Lane, ask: Ask, number: int) -> Result:
        question = questions[lane.key.case_id]
        request = Request(wording(), (Message("user", question.text),), plan.options.sampling)
        completion = await ask(request, number=number)
        scoring = scored(question.right, completion)
        return Result(scoring.valid, (scoring,), completion.cost_usd)

    def begin(_lanes: Sequence[Lane]) -> Attempts:
        # How often simulated models name no relation is known only once they are asked.
        return Attempts(attempt_lane, plan.suts, truth=_truth_of(questions), predictable=False)

    yield Prepared(plan.detail, begin)


def _truth_of(questions: Mapping[str, PairQuestion]) -> TruthOf:
    """The right answer about a pair: what people say of it, or what its names suggest."""

    def truth(question: Question, about: object = None) -> Truth:  # noqa: ARG001 - the Protocol names it
        pair = questions[question.lane.case_id]
        return Truth(pair.case_id, question.number, answer=answer_text(pair.right or pair.likely))

    return truth
