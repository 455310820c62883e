"""Which shards of a run a database holds, and whether their lanes are done."""

from runner.errors import InputError
from runner.storage.store import Store


def note_shard(store: Store, run_id: str, index: int, total: int, *, complete: bool) -> None:
    """Note that a database has a shard of a run."""
    with store.transaction():
        store.insert_many(
            "shards", ("run_id", "shards", "shard", "complete"), [(run_id, total, index, complete)], replace=True
        )


def refuse_other_shards(store: Store, run_id: str, total: int) -> None:
    """Raise InputError where a database has the run in another number of shards: cases would be asked twice."""
    rows = store.rows("SELECT DISTINCT shards FROM shards WHERE run_id = ? AND shards <> ?", run_id, total)
    if rows:
        raise InputError(
            f"--shard: {store.path} holds run {run_id} in {rows[0]['shards']} shards, not in {total}; "
            "give that number, or another file with --db"
        )


def shards_missing(store: Store, run_id: str) -> list[str]:
    """Return the shards of a run that are not here or not done, such as `2/4`; [] where it was not divided."""
    rows = store.rows("SELECT shards, shard FROM shards WHERE run_id = ? AND complete", run_id)
    done = {(row["shards"], row["shard"]) for row in rows}
    totals = store.rows("SELECT DISTINCT shards FROM shards WHERE run_id = ? ORDER BY shards", run_id)
    missing = [[f"{index}/{row[0]}" for index in range(1, row[0] + 1) if (row[0], index) not in done] for row in totals]
    return min(missing, key=len, default=[])
