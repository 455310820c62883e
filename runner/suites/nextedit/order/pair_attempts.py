"""What is asked about pairs of edits: the options of such a run, its plan, and how a question is attempted."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from runner.records import Outcome, Result, Scoring
from runner.run.engine import Lane
from runner.run.plan import Plan, Workload
from runner.run.protocols import Ask, TruthOf
from runner.run.suite import Attempts, Prepared, Say
from runner.storage.ledger import LaneKey, Question
from runner.storage.rows import to_json
from runner.storage.runs import RunPlan
from runner.suites.nextedit.order.pair_options import OrderOptions, model_of
from runner.suites.nextedit.order.pair_record import NAME, PARSER, PATIENCE, run_plan
from runner.suites.nextedit.order.pairs import PROMPT, PairQuestion, Relation, answer_text, parse_relation, wording
from runner.tokens import token_counter
from suts.sut import Message, Request, Truth

# A relation in its tag, with a sentence before it.
_ANSWER_TOKENS = 60


def plan(options: OrderOptions, _say: Say) -> Plan[RunPlan]:
    """A lane for each question."""
    sut = model_of(options)
    count = token_counter(exact=False).count
    tokens = {each.case_id: count(wording()) + count(each.text) for each in options.questions}
    return Plan(
        suite=NAME,
        options=options,
        suts=(sut,),
        lanes=tuple(LaneKey(sut.name, PROMPT, each.case_id) for each in options.questions),
        quota=1,
        cap=PATIENCE,
        workload=Workload(len(tokens), sum(tokens.values()), _ANSWER_TOKENS, len(tokens)),
        detail=run_plan(options.questions, sut, options.max_tokens),
        notes=("about pairs of edits that the rules leave open",),
    )


@contextmanager
def attempt(made: Plan[RunPlan], _say: Say) -> Iterator[Prepared]:
    """How questions are attempted: each is asked until an answer names a relation."""
    assert isinstance(made.options, OrderOptions)
    questions = {each.case_id: each for each in made.options.questions}

    async def attempt_lane(lane: Lane, ask: Ask, number: int) -> Result:
        question = questions[lane.key.case_id]
        request = Request(wording(), (Message("user", question.text),), made.options.sampling)
        completion = await ask(request, number=number)
        relation = parse_relation(completion.text)
        scoring = Scoring(
            outcome=_outcome(relation, question.right),
            valid=relation is not None,
            parser=PARSER,
            error_text=None if relation else "names no relation",
            detail=to_json({"relation": relation, "people": question.right}),
            answer_id=completion.answer_id,
        )
        return Result(scoring.valid, (scoring,), completion.cost_usd)

    def begin(_lanes: Sequence[Lane]) -> Attempts:
        # How often simulated models name no relation is known only once they are asked.
        return Attempts(attempt_lane, made.suts, truth=_truth_of(questions), predictable=False)

    yield Prepared(made.detail, begin)


def _truth_of(questions: Mapping[str, PairQuestion]) -> TruthOf:
    """The right answer about a pair: what people say of it, or what its names suggest."""

    def truth(question: Question, about: object = None) -> Truth:  # noqa: ARG001 - the Protocol names it
        pair = questions[question.lane.case_id]
        return Truth(pair.case_id, question.number, answer=answer_text(pair.right or pair.likely))

    return truth


def _outcome(relation: Relation | None, right: Relation | None) -> Outcome:
    """Solved where a relation is named, and people, if they were asked, say so too: related or not."""
    if relation is None:
        return Outcome.NO_ANSWER
    agrees = right is None or (relation is Relation.NONE) == (right is Relation.NONE)
    return Outcome.SOLVED if agrees else Outcome.UNSOLVED
