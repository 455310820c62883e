"""What is asked about pairs of edits: one lane for each pair."""

from runner.run.plan import Plan, Workload
from runner.run.suite import Say
from runner.storage.ledger import LaneKey
from runner.storage.runs import RunPlan
from runner.suites.nextedit.order.pairs import PROMPT, wording
from runner.suites.nextedit.relations.options import RelationOptions, model_of
from runner.suites.nextedit.relations.record import NAME, PATIENCE, run_plan
from runner.tokens import token_counter

# A relation in its tag, with a sentence before it.
_ANSWER_TOKENS = 60


def plan(options: RelationOptions, _say: Say) -> Plan[RunPlan]:
    """A lane for each question."""
    sut = model_of(options)
    count = token_counter(exact=False).count
    tokens = {question.case_id: count(wording()) + count(question.text) for question in options.questions}
    return Plan(
        suite=NAME,
        options=options,
        suts=(sut,),
        lanes=tuple(LaneKey(sut.name, PROMPT, question.case_id) for question in options.questions),
        quota=1,
        cap=PATIENCE,
        workload=Workload(len(tokens), sum(tokens.values()), _ANSWER_TOKENS, len(tokens)),
        detail=run_plan(options.questions, sut, options.max_tokens),
        notes=("about pairs of edits that the rules leave open",),
    )
