"""What all runs of a database have answered about pairs of edits, and the run that asks about the others.

A question is the same if prompt, text and model are: it is asked once for all runs of a database. An answer that names
no relation is asked for again a few times, then the pair stays open.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, fields, replace
from pathlib import Path

from runner.run.budget import spent_usd
from runner.run.execute import execute, say_resume
from runner.run.options import AskOptions
from runner.storage.store import Store
from runner.suites.nextedit.order.pairs import PairQuestion, Relation, parse_relation, wording
from runner.suites.nextedit.relations.options import RelationOptions, model_of
from runner.suites.nextedit.relations.record import NAME, PATIENCE
from runner.suites.nextedit.relations.suite import SUITE

_MAX_TOKENS = 2048
# Of the runs of a database, every answer of a model to the questions of this prompt.
_ANSWERS = """
    SELECT c.digest, t.encoding, t.content FROM answers a
    JOIN lanes l USING (lane_id) JOIN runs r USING (run_id)
    JOIN cases c ON c.run_id = l.run_id AND c.case_id = l.case_id
    JOIN texts t ON t.text_id = a.text_id
    WHERE r.suite = ? AND l.sut = ? AND a.outcome = 'answered' ORDER BY a.answer_id"""


@dataclass(frozen=True, slots=True)
class PairAnswers:
    """What a model says of pairs, by case id; None where it named no relation.

    `model` is what was asked; `requests` counts the questions of this time, `known` those that were answered before;
    `exit_code` is not 0 where some have no answer yet.
    """

    model: str
    relations: Mapping[str, Relation | None]
    requests: int = 0
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
            "asked": self.requests,
            "known": self.known,
            "left_open": self.left_open,
            "cost_usd": self.cost_usd,
            "run_id": self.run_id or None,
        }


def order_options(model: str, questions: Sequence[PairQuestion], options: AskOptions) -> RelationOptions:
    """The options of the run that asks a model about pairs: pace, prices and database of `options`.

    It has no seed, so that every draw of a replay follows one order.
    """
    shared = {field.name: getattr(options, field.name) for field in fields(AskOptions)}
    own: dict[str, object] = {
        "model_ids": model,
        "questions": tuple(questions),
        "quota": 1,
        "cap": PATIENCE,
        "temperature": 0.0,
        "max_tokens": _MAX_TOKENS,
        "seed": 0,
        "thinking_budget": 0,
        "run_id": "",
        "resume": "",
        "name": "",
        "note": "",
        "save_locally": None,
        "max_concurrency": options.slots,
    }
    return RelationOptions(**{**shared, **own})


def judge_pairs(questions: Sequence[PairQuestion], model: str, options: AskOptions) -> PairAnswers:
    """Ask about the pairs that no run of the database has asked about yet. Raises InputError before anything is asked.

    What is left unasked (a budget, an interrupt, an endpoint that fails) is no part of `relations`.
    """
    order = order_options(model, questions, options)
    sut = model_of(order)
    digests = {question.case_id: question.digest(wording()) for question in questions}
    known = _known(options.db, sut.name, digests.values())
    missing = list(
        {
            digests[question.case_id]: question for question in questions if digests[question.case_id] not in known
        }.values()
    )
    run_id, code = "", 0
    if missing:
        executed = execute(SUITE, replace(order, questions=tuple(missing)))
        say_resume(executed)
        # Without consent nothing was asked, and there is no order to follow.
        run_id, code = executed.run_id, executed.exit_code if executed.run_id else executed.exit_code or 3
    relations = _known(options.db, sut.name, digests.values()) if run_id else known
    return PairAnswers(
        model=f"{sut.name}{' (simulated)' if sut.endpoint.simulated else ''}",
        relations={case_id: relations[digest] for case_id, digest in digests.items() if digest in relations},
        requests=len(missing),
        known=sum(digest in known for digest in digests.values()),
        run_id=run_id,
        cost_usd=_cost(options.db, run_id),
        # That no answer was valid is a result: the pairs stay open.
        exit_code=code if any(digest not in relations for digest in digests.values()) else 0,
    )


def _known(db: Path, model: str, digests: Iterable[str]) -> dict[str, Relation | None]:
    """What a database knows, by digest: the first relation that was named; None where patience is at its end."""
    if not db.exists():
        return {}
    keys = set(digests)
    relations: dict[str, Relation | None] = {}
    failed: dict[str, int] = {}
    with closing(Store.open(db, create=False)) as store:
        for row in store.stream(_ANSWERS, NAME, model):
            digest = row["digest"]
            if digest not in keys or relations.get(digest) is not None:
                continue
            relation = parse_relation(store.decode_text(row["encoding"], row["content"]))
            failed[digest] = failed.get(digest, 0) + (relation is None)
            if relation is not None or failed[digest] >= PATIENCE:
                relations[digest] = relation
    return relations


def _cost(db: Path, run_id: str) -> float:
    if not run_id:
        return 0.0
    with closing(Store.open(db, create=False)) as store:
        return spent_usd(store, run_id)
