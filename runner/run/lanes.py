"""Makes the lanes of a session, with what earlier sessions of their run asked for and finished."""

from collections.abc import Iterable, Sequence
from typing import Any

from runner.run.engine import Lane
from runner.run.plan import Plan
from runner.storage.ledger import LaneKey
from runner.storage.rows import is_greedy
from runner.storage.runs import CAP, QUOTA, asked_on_record
from runner.storage.store import Store

_FINISHED = """
SELECT l.sut, l.prompt, l.case_id, a.number, max(s.valid OR s.outcome = 'crashed') AS valid,
    count(DISTINCT a.answer_id) AS answers, min(a.request_id) AS request_id, min(t.digest) AS digest
FROM scorings s JOIN answers a USING (answer_id) JOIN lanes l USING (lane_id) LEFT JOIN texts t USING (text_id)
WHERE s.run_id = ? AND l.run_id = ? GROUP BY l.lane_id, a.number"""


def lanes_of(store: Store, run_id: str, plan: Plan[Any]) -> list[Lane]:
    """Return the lanes of a plan, resumed where the run has begun."""
    before = asked_on_record(store, run_id)
    quota, cap = before.get(QUOTA, 0), before.get(CAP, 0)
    lanes = [Lane(key, plan.quota, plan.cap, recorded_quota=quota, recorded_cap=cap) for key in plan.lanes]
    resume_lanes(store, run_id, lanes)
    return lanes


def resume_lanes(store: Store, run_id: str, lanes: Iterable[Lane]) -> None:
    """Give each lane what earlier sessions finished. A crashed scoring had a valid call."""
    by_key = {lane.key: lane for lane in lanes}
    finished: dict[LaneKey, list[tuple[int, bool]]] = {key: [] for key in by_key}
    for row in store.rows(_FINISHED, run_id, run_id):
        key = LaneKey(row["sut"], row["prompt"], row["case_id"])
        if key not in by_key:
            continue
        finished[key].append((row["number"], bool(row["valid"])))
        if not row["valid"] and row["answers"] == 1 and is_greedy(store, row["request_id"]):
            by_key[key].note_repeatable(row["number"], row["digest"])
    for key, lane in by_key.items():
        lane.resume(finished[key])


def requested(plan: Plan[Any], lanes: Sequence[Lane]) -> tuple[int, int]:
    """Return the quota and the cap that the run has asked for in all of its sessions."""
    quota = max((lane.recorded_quota for lane in lanes), default=0)
    cap = max((lane.recorded_cap for lane in lanes), default=0)
    return max(plan.quota, quota), max(plan.cap, cap)
