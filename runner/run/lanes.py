"""Makes the lanes of a session, with what earlier sessions of their run asked for and finished."""

from collections.abc import Iterable, Sequence
from typing import Any

from runner.run.engine import Lane
from runner.run.plan import Plan
from runner.storage.ledger import LaneKey
from runner.storage.runs import CAP, QUOTA, asked_on_record
from runner.storage.store import Store


def lanes_of(store: Store, run_id: str, plan: Plan[Any]) -> list[Lane]:
    """Return the lanes of a plan, resumed where the run has begun."""
    before = asked_on_record(store, run_id)
    quota, cap = before.get(QUOTA, 0), before.get(CAP, 0)
    lanes = [Lane(key, plan.quota, plan.cap, recorded_quota=quota, recorded_cap=cap) for key in plan.lanes]
    resume_lanes(store, run_id, lanes)
    return lanes


def resume_lanes(store: Store, run_id: str, lanes: Iterable[Lane]) -> None:
    """Give each lane what earlier sessions finished. A crashed scoring had a valid call."""
    sql = """
        SELECT l.sut, l.prompt, l.case_id, a.number, max(s.valid OR s.outcome = 'crashed') AS valid
        FROM scorings s JOIN answers a USING (answer_id) JOIN lanes l USING (lane_id)
        WHERE s.run_id = ? AND l.run_id = ? GROUP BY l.lane_id, a.number"""
    finished: dict[LaneKey, list[tuple[int, bool]]] = {}
    for row in store.stream(sql, run_id, run_id):
        key = LaneKey(row["sut"], row["prompt"], row["case_id"])
        finished.setdefault(key, []).append((row["number"], bool(row["valid"])))
    for lane in lanes:
        lane.resume(finished.get(lane.key, ()))


def requested(plan: Plan[Any], lanes: Sequence[Lane]) -> tuple[int, int]:
    """Return the quota and the cap that the run has asked for in all of its sessions."""
    quota = max((lane.recorded_quota for lane in lanes), default=0)
    cap = max((lane.recorded_cap for lane in lanes), default=0)
    return max(plan.quota, quota), max(plan.cap, cap)
