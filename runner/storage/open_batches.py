"""The batches of a run whose answers have not been collected: what an earlier session submitted, or was about to."""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime

from runner.storage.store import Store

# The last batch that each open answer is a line of.
_OPEN = """
SELECT b.batch_id, b.sut, b.digest, b.planned_at, b.lines, b.remote_id, max(b.batch_id) AS last, l.answer_id
FROM answers a JOIN lanes USING (lane_id) JOIN batch_lines l USING (answer_id) JOIN batches b USING (batch_id)
WHERE b.run_id = ? AND a.outcome = 'in_flight' GROUP BY l.answer_id"""
_KNOWN = "SELECT remote_id FROM batches WHERE remote_id IS NOT NULL"


@dataclass(frozen=True, slots=True)
class OpenBatch:
    """A batch on record; `remote_id` is "" if it is not known whether it was submitted.

    `planned_s` is in seconds since 1970, `lines` the number of its requests, `answer_ids` those that are open.
    """

    batch_id: int
    sut: str
    digest: str
    planned_s: float
    lines: int
    remote_id: str = ""
    answer_ids: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """What is on record of the batches of a run: those that are open, and the vendors' ids of all of any run."""

    run_id: str
    opened: tuple[OpenBatch, ...] = ()
    known: frozenset[str] = frozenset()


def batch_record(store: Store, run_id: str) -> BatchRecord:
    """Return the record of a run."""
    known = frozenset(row["remote_id"] for row in store.rows(_KNOWN))
    return BatchRecord(run_id, tuple(_open_batches(store, run_id)), known)


def _open_batches(store: Store, run_id: str) -> list[OpenBatch]:
    """Return the batches of a run that have open answers, oldest first."""
    batches: dict[int, OpenBatch] = {}
    answers: defaultdict[int, list[int]] = defaultdict(list)
    for row in store.rows(_OPEN, run_id):
        planned_s = datetime.fromisoformat(row["planned_at"]).replace(tzinfo=UTC).timestamp()
        known = (row["batch_id"], row["sut"], row["digest"], planned_s, row["lines"], row["remote_id"] or "")
        batches[row["batch_id"]] = OpenBatch(*known, answers[row["batch_id"]])
        answers[row["batch_id"]].append(row["answer_id"])
    return [batches[batch_id] for batch_id in sorted(batches)]
