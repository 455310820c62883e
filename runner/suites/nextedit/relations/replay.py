"""Replays of runs about pairs of edits: a relation is read in one way only, so that there is nothing to vary."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from runner.errors import InputError
from runner.records import Scoring
from runner.run.suite import ReplayOptions, Rescoring, Say, StoredAnswer
from runner.run.variants import variants_on_record
from runner.storage.rows import detail_of
from runner.storage.store import Row, Store
from runner.suites.nextedit.order.pairs import Relation
from runner.suites.nextedit.relations.score import scored

_DETAILS = "SELECT answer_id, detail FROM scorings WHERE run_id = ?"


@contextmanager
def replay(store: Store, source: Row, options: ReplayOptions, _say: Say) -> Iterator[Rescoring]:
    """How answers are scored as they were, with what people are on record to say. Raises InputError otherwise."""
    if not options.as_recorded:
        raise InputError(f"run {source['run_id']}: its answers are relations of edits, which are read in one way only")
    people = {row["answer_id"]: _relation(detail_of(row)) for row in store.rows(_DETAILS, source["run_id"])}

    def score(_case_id: str, answers: Sequence[StoredAnswer]) -> Iterator[Scoring]:
        for answer in answers:
            right = people.get(answer.answer_id)
            yield scored(right, replace(answer.completion, answer_id=answer.answer_id))

    yield Rescoring(variants_on_record(store, source["run_id"]), {}, score)


def _relation(detail: Mapping[str, object]) -> Relation | None:
    """What people say of a pair; None where nobody was asked."""
    name = str(detail.get("people"))
    return Relation(name) if name in {*Relation} else None
