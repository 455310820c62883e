"""Restores lanes from earlier sessions of their run."""

from collections.abc import Iterable

from runner.run.engine import Lane
from runner.storage.ledger import LaneKey
from runner.storage.store import Store


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
