"""The lanes of a run whose question does not fit into the context window of their system."""

from collections.abc import Iterable

from runner.storage.ledger import LaneKey
from runner.storage.store import Row, Store


def put_overflows(store: Store, run_id: str, reasons: Iterable[tuple[LaneKey, str | None]]) -> None:
    """Record why each lane does not fit; None for one that may, which another session may have found too long."""
    columns = ("run_id", "sut", "prompt", "case_id", "reason")
    sql = "DELETE FROM overflows WHERE run_id = ? AND sut = ? AND prompt = ? AND case_id = ?"
    with store.transaction():
        for lane, reason in reasons:
            store.execute(sql, run_id, *lane)
            if reason is not None:
                store.insert("overflows", dict(zip(columns, (run_id, *lane, reason), strict=True)))


def overflows_of(store: Store, run_id: str) -> list[Row]:
    """Return the lanes of a run that do not fit, in the order of its cases; `state` says why."""
    sql = """
        SELECT o.sut, o.prompt, o.case_id, o.reason AS state FROM overflows o JOIN cases c USING (run_id, case_id)
        WHERE o.run_id = ? ORDER BY o.sut, o.prompt, c.position"""
    return store.rows(sql, run_id)
