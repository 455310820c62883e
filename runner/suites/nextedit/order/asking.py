"""Models asked about pairs of edits: a run in the database whose cases are pairs, and what all such runs have answered.

A question is one if prompt, text and model are: it is asked once for all runs of a database, and an answer that names
no relation is asked for again a few times, then counts as none.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from runner.prices import load_prices
from runner.records import Outcome, Result, Scoring
from runner.run.budget import spent_usd
from runner.run.engine import Lane
from runner.run.launch import Job, agreed, launch, refuse_unpriced, sim_prices
from runner.run.limits import Rates
from runner.run.pace import Pace
from runner.run.protocols import Ask
from runner.run.resolve import choose_suts
from runner.storage.ledger import LaneKey
from runner.storage.rows import to_json
from runner.storage.runs import CaseRow, RunPlan, choose_run
from runner.storage.store import Store
from runner.suites.nextedit.order.pairs import (
    PROMPT,
    PairQuestion,
    Relation,
    answer_text,
    parse_relation,
    wording,
)
from runner.variant import Variant
from suts.registry import resolve
from suts.settings import Settings
from suts.sut import Message, Request, Sampling, Sut, Truth

SUITE = "nextedit-order"
# So many answers to a question that name no relation, and it stays open.
PATIENCE = 3
_SAMPLING = Sampling(max_tokens=2048, temperature=0.0)
# Of the runs of a database, every answer of a model to the questions of this prompt.
_ANSWERS = """
    SELECT c.digest, t.encoding, t.content FROM answers a
    JOIN lanes l USING (lane_id) JOIN runs r USING (run_id)
    JOIN cases c ON c.run_id = l.run_id AND c.case_id = l.case_id
    JOIN texts t ON t.text_id = a.text_id
    WHERE r.suite = ? AND l.sut = ? AND a.outcome = 'answered' ORDER BY a.answer_id"""


@dataclass(frozen=True, slots=True)
class PairOptions:
    """Which model is asked, where answers are kept, and how fast and dear it may be."""

    model: str
    db: Path
    settings: Settings
    slots: int = 4
    budget_usd: float | None = None
    prices: Path | None = None
    yes: bool = False
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """What a model says of pairs, by case id; None where it named no relation.

    `model` is what was asked; `asked` counts the questions of this time, `known` those that were answered before;
    `exit_code` is not 0 where some have no answer yet.
    """

    model: str
    relations: Mapping[str, Relation | None]
    asked: int = 0
    known: int = 0
    run_id: str = ""
    cost_usd: float = 0.0
    exit_code: int = 0

    @property
    def left_open(self) -> int:
        """How many questions have no valid answer."""
        return sum(relation is None for relation in self.relations.values())

    def as_json(self) -> dict[str, object]:
        """The counts by name."""
        return {
            "model": self.model,
            "asked": self.asked,
            "known": self.known,
            "left_open": self.left_open,
            "cost_usd": self.cost_usd,
            "run_id": self.run_id or None,
        }


def judge_pairs(questions: Sequence[PairQuestion], options: PairOptions) -> Judged:
    """Ask about the pairs that no run of the database has asked about yet. Raises InputError before anything is asked.

    What is left unasked (a budget, an interrupt, an endpoint that fails) is no part of `relations`.
    """
    sut = _model(options)
    digests = {each.case_id: each.digest(wording()) for each in questions}
    known = _known(options.db, sut.name, digests.values())
    missing = _once([each for each in questions if digests[each.case_id] not in known], digests)
    run_id, code = _ask(missing, digests, sut, options) if missing else ("", 0)
    found = _known(options.db, sut.name, digests.values()) if run_id else known
    return Judged(
        model=f"{sut.name}{' (simulated)' if sut.endpoint.simulated else ''}",
        relations={case_id: found[digest] for case_id, digest in digests.items() if digest in found},
        asked=len(missing),
        known=sum(digest in known for digest in digests.values()),
        run_id=run_id,
        cost_usd=_cost(options.db, run_id),
        # That no answer was valid is a result: the pairs stay open.
        exit_code=code if any(digest not in found for digest in digests.values()) else 0,
    )


def _once(questions: Iterable[PairQuestion], digests: Mapping[str, str]) -> list[PairQuestion]:
    return list({digests[each.case_id]: each for each in questions}.values())


def _model(options: PairOptions) -> Sut:
    (sut,) = choose_suts([options.model], lambda model: resolve(model, options.settings), option="--order llm")
    return sut


def _known(db: Path, model: str, digests: Iterable[str]) -> dict[str, Relation | None]:
    """What a database knows, by digest: the first relation that was named; None where patience is at its end."""
    if not db.exists():
        return {}
    wanted = set(digests)
    found: dict[str, Relation | None] = {}
    failed: dict[str, int] = {}
    with closing(Store.open(db, create=False)) as store:
        for row in store.stream(_ANSWERS, SUITE, model):
            digest = row["digest"]
            if digest not in wanted or found.get(digest) is not None:
                continue
            relation = parse_relation(store.decode_text(row["encoding"], row["content"]))
            failed[digest] = failed.get(digest, 0) + (relation is None)
            if relation is not None or failed[digest] >= PATIENCE:
                found[digest] = relation
    return found


def _cost(db: Path, run_id: str) -> float:
    if not run_id:
        return 0.0
    with closing(Store.open(db, create=False)) as store:
        return spent_usd(store, run_id)


def _ask(
    questions: Sequence[PairQuestion], digests: Mapping[str, str], sut: Sut, options: PairOptions
) -> tuple[str, int]:
    """Ask in a run of its own; its id, "" if the person does not agree, and its exit code."""
    prices = load_prices(options.prices, sim_prices())
    refuse_unpriced([sut], prices, options.budget_usd)
    plan = _plan(questions, digests, sut)
    run_id = choose_run(options.db, plan, "", "")
    if not (options.yes or agreed([sut])):
        return "", 3
    by_id = {each.case_id: each for each in questions}

    async def attempt(lane: Lane, ask: Ask, number: int) -> Result:
        return await _attempt(by_id[lane.key.case_id], ask, number)

    job = Job(
        plan=plan,
        lanes=[Lane(LaneKey(sut.name, PROMPT, case_id), quota=1, cap=PATIENCE) for case_id in by_id],
        attempt=attempt,
        suts=[sut],
        parser=None,
        prices=prices,
        pace=Pace(slots=options.slots, rates=Rates(options.slots), budget_usd=options.budget_usd),
        quiet=options.quiet,
    )
    with closing(Store.open(options.db)) as store:
        return run_id, launch(job, store, run_id)


async def _attempt(question: PairQuestion, ask: Ask, number: int) -> Result:
    right = question.right or question.likely
    truth = Truth(question.case_id, number, answer=answer_text(right))
    request = Request(wording(), (Message("user", question.text),), _SAMPLING, truth)
    completion = await ask(request, number=number)
    relation = parse_relation(completion.text)
    scoring = Scoring(
        outcome=_outcome(relation, question.right),
        valid=relation is not None,
        parser="relation-tag",
        error_text=None if relation else "names no relation",
        detail=to_json({"relation": relation, "people": question.right}),
        answer_id=completion.answer_id,
    )
    return Result(scoring.valid, (scoring,), completion.cost_usd)


def _outcome(relation: Relation | None, right: Relation | None) -> Outcome:
    """Solved where a relation is named, and people, if they were asked, say so too: related or not."""
    if relation is None:
        return Outcome.NO_ANSWER
    agrees = right is None or (relation is Relation.NONE) == (right is Relation.NONE)
    return Outcome.SOLVED if agrees else Outcome.UNSOLVED


def _plan(questions: Sequence[PairQuestion], digests: Mapping[str, str], sut: Sut) -> RunPlan:
    from hashlib import sha256

    rows = [
        CaseRow(
            each.case_id, digests[each.case_id], content=to_json({"messages": [{"role": "user", "text": each.text}]})
        )
        for each in questions
    ]
    digest = sha256("\n".join(row.digest for row in rows).encode()).hexdigest()[:12]
    prompt_digest = sha256(wording().encode()).hexdigest()[:8]
    variant = Variant(
        sut=sut.name,
        prompt=PROMPT,
        parser="relation-tag",
        diff_algorithm="",
        prompt_digest=prompt_digest,
        parser_digest="",
        algorithm_digest="",
        endpoint=sut.endpoint.base_url,
        simulated=sut.endpoint.simulated,
    )
    return RunPlan(
        suite=SUITE,
        identity={
            "sut": f"{sut.name} at {sut.endpoint.base_url}",
            "prompt": f"{PROMPT}@{prompt_digest}",
            "cases": digest,
            "max_tokens": _SAMPLING.max_tokens,
        },
        settings={"valid_attempts_per_case": 1, "most_tries_per_answer": PATIENCE},
        variants=(variant,),
        cases=rows,
        cases_digest=digest,
    )
