"""What is asked about pairs of edits: the options of such a run, its plan, and how a question is attempted."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256

from runner.records import Outcome, Result, Scoring
from runner.run.engine import Lane
from runner.run.options import AskOptions
from runner.run.plan import Plan, Workload
from runner.run.protocols import Ask, TruthOf
from runner.run.resolve import choose_suts
from runner.run.suite import Attempts, Prepared, Say
from runner.storage.ledger import LaneKey, Question
from runner.storage.rows import to_json
from runner.storage.runs import CaseRow, RunPlan
from runner.suites.nextedit.order.pairs import PROMPT, PairQuestion, Relation, answer_text, parse_relation, wording
from runner.tokens import token_counter
from runner.variant import Variant
from suts.sut import Message, Request, Sut, Truth

NAME = "order"
# So many answers to a question that name no relation, and the pair stays open.
PATIENCE = 3
_PARSER = "relation-tag"
# A relation in its tag, with a sentence before it.
_ANSWER_TOKENS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderOptions(AskOptions):
    """What is asked, by one model: the options of no command, for a suite's options name the model."""

    questions: tuple[PairQuestion, ...] = ()


def model_of(options: OrderOptions) -> Sut:
    """The model that is asked. Raises InputError for one that cannot be asked."""
    (sut,) = choose_suts([options.model_ids], options.builder, options.sampling, "--order llm")
    return sut


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
        detail=_run_plan(options, sut),
        notes=("about pairs of edits that the rules leave open",),
    )


def _run_plan(options: OrderOptions, sut: Sut) -> RunPlan:
    rows = [_case_row(question) for question in options.questions]
    digest = sha256("\n".join(row.digest for row in rows).encode()).hexdigest()[:12]
    prompt_digest = sha256(wording().encode()).hexdigest()[:8]
    variant = Variant(
        sut=sut.name,
        prompt=PROMPT,
        parser=_PARSER,
        diff_algorithm="",
        prompt_digest=prompt_digest,
        parser_digest="",
        algorithm_digest="",
        endpoint=sut.endpoint.base_url,
        simulated=sut.endpoint.simulated,
    )
    return RunPlan(
        suite=NAME,
        identity={
            "sut": f"{sut.name} at {sut.endpoint.base_url}",
            "prompt": f"{PROMPT}@{prompt_digest}",
            "cases": digest,
            "max_tokens": options.max_tokens,
        },
        settings={"valid_attempts_per_case": 1, "most_tries_per_answer": PATIENCE},
        variants=(variant,),
        cases=rows,
        cases_digest=digest,
    )


def _case_row(question: PairQuestion) -> CaseRow:
    content = to_json({"messages": [{"role": "user", "text": question.text}]})
    return CaseRow(question.case_id, question.digest(wording()), content=content)


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
            parser=_PARSER,
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
