"""What is recorded of a run that asks a model about pairs of edits: its identity, its variant, its questions."""

from collections.abc import Sequence
from hashlib import sha256

from runner.run.variants import PartName, variant_of
from runner.storage.rows import to_json
from runner.storage.runs import CaseRow, RunPlan
from runner.suites.nextedit.order.pairs import PROMPT, PairQuestion, wording
from suts.sut import Sut

NAME = "relations"
PARSER = "relation-tag"
# So many answers to a question that name no relation, and the pair stays open.
PATIENCE = 3


def run_plan(questions: Sequence[PairQuestion], sut: Sut, max_tokens: int) -> RunPlan:
    """The record of a run that asks a system these questions."""
    rows = [_case_row(question) for question in questions]
    digest = sha256("\n".join(row.digest for row in rows).encode()).hexdigest()[:12]
    prompt_digest = sha256(wording().encode()).hexdigest()[:8]
    variant = variant_of(sut, PartName(PROMPT, prompt_digest), PartName(PARSER))
    return RunPlan(
        suite=NAME,
        identity={
            "sut": f"{sut.name} at {sut.endpoint.base_url}",
            "prompt": f"{PROMPT}@{prompt_digest}",
            "cases": digest,
            "max_tokens": max_tokens,
        },
        settings={"valid_attempts_per_case": 1, "most_tries_per_answer": PATIENCE},
        variants=(variant,),
        cases=rows,
        cases_digest=digest,
    )


def _case_row(question: PairQuestion) -> CaseRow:
    content = to_json({"messages": [{"role": "user", "text": question.text}]})
    return CaseRow(question.case_id, question.digest(wording()), content=content)
