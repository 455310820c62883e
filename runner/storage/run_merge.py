"""Puts the runs of one database into another, so that runs which several processes filled become one."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from runner.errors import InputError
from runner.storage.foreign import refused_rows
from runner.storage.lane_merge import LaneMerge
from runner.storage.merging import merge_spills
from runner.storage.open_batches import batch_record
from runner.storage.run_differences import refuse_mixed
from runner.storage.run_lock import claimed
from runner.storage.shards import shards_missing
from runner.storage.store import Row, Store, Value

# What of a run is copied row by row: the table, and the columns that name one row in it within its run.
RUN_TABLES: Mapping[str, tuple[str, ...]] = {
    "variants": ("sut", "prompt", "parser", "diff_algorithm"),
    "cases": ("case_id",),
    "sessions": ("began_at", "late_p99_ms", "late_max_ms"),
    "overflows": ("sut", "prompt", "case_id"),
    "shards": ("shards", "shard"),
}
# A replay needs its run before it.
_RUNS = "SELECT * FROM runs ORDER BY replay_of IS NOT NULL, rowid"


@dataclass(frozen=True, slots=True)
class MergedDatabase:
    """What a database added: requests and scorings that were not there before; `runs` are those that it holds."""

    path: Path
    runs: tuple[str, ...]
    answers: int
    scorings: int


@dataclass(frozen=True, slots=True)
class MergedRun:
    """A run after merging; `missing` are its shards that no database had, or that are not done."""

    run_id: str
    state: str
    missing: tuple[str, ...]


def merge_databases(out: Store, paths: Sequence[Path]) -> Iterator[MergedDatabase]:
    """Put the runs of these databases into `out`, each database in one transaction; yield what each added.

    To merge one twice changes nothing. Raises InputError, before anything is written, where two databases hold one run
    in different configurations, or shards of what should be one run; and for a run that is at work.
    """
    refuse_mixed(out, paths)
    for path in paths:
        with closing(Store.open(path, create=False)) as source:
            yield _merge(out, source)


def merged_runs(out: Store) -> Iterator[MergedRun]:
    """Yield the runs of a database, oldest first, and what they are missing."""
    for run in out.rows(_RUNS):
        yield MergedRun(run["run_id"], run["state"], tuple(shards_missing(out, run["run_id"])))


def _merge(out: Store, source: Store) -> MergedDatabase:
    runs = source.rows(_RUNS)
    with _at_rest(out, source, runs), source.snapshot(), out.transaction(), refused_rows(str(source.path)):
        lanes = LaneMerge(out, source)
        for run in runs:
            _put_run(out, run)
            for table, key in RUN_TABLES.items():
                _put_rows(lanes, table, key, run["run_id"])
        for lane in source.stream("SELECT * FROM lanes ORDER BY lane_id"):
            lanes.put(lane)
        for run in runs:
            _put_state(out, run)
    return MergedDatabase(source.path, tuple(run["run_id"] for run in runs), lanes.answers, lanes.scorings)


@contextmanager
def _at_rest(out: Store, source: Store, runs: Sequence[Row]) -> Iterator[None]:
    """Hold the runs, so that no session is at work on them; what waits beside the source is taken into it before."""
    with ExitStack() as held:
        for run in runs:
            held.enter_context(claimed(source.path, run["run_id"]))
            held.enter_context(claimed(out.path, run["run_id"]))
            merge_spills(source, run["run_id"])
            _refuse_open_batches(source, run["run_id"])
        yield


def _refuse_open_batches(source: Store, run_id: str) -> None:
    """Raise InputError for a run that waits for a batch: its answers can only be collected where its batch is known."""
    if batch_record(source, run_id).opened:
        raise InputError(
            f"{source.path}: run {run_id} waits for a batch; resume it there until it has come, then merge"
        )


def _put_run(out: Store, run: Row) -> None:
    if not out.rows("SELECT 1 FROM runs WHERE run_id = ?", run["run_id"]):
        out.insert("runs", dict(run))


def _put_rows(lanes: LaneMerge, table: str, key: tuple[str, ...], run_id: str) -> None:
    """Insert the rows of a run that are not there yet; those on record grow by what only the other database knows."""
    where = " AND ".join(f"{name} IS ?" for name in ("run_id", *key))
    for row in lanes.source.stream(f"SELECT * FROM {table} WHERE run_id = ?", run_id):  # noqa: S608 - names of ours
        names = [row[name] for name in key]
        known = lanes.out.rows(f"SELECT * FROM {table} WHERE {where}", run_id, *names)  # noqa: S608 - the same
        if not known:
            values = lanes.with_texts(table, row)
            values.pop("session_id", None)
            lanes.out.insert(table, values)
        elif grown := _grown(table, known[0], row):
            lanes.out.update(table, dict(zip(("run_id", *key), (run_id, *names), strict=True)), grown)


def _grown(table: str, known: Row, row: Row) -> dict[str, Value]:
    """Return the columns that another database knows more of."""
    if table == "shards" and row["complete"] and not known["complete"]:
        return {"complete": 1}
    if table == "variants" and row["unsent"] != known["unsent"]:
        names = {*row["unsent"].split(","), *known["unsent"].split(",")} - {""}
        unsent = ",".join(sorted(names))
        return {"unsent": unsent} if unsent != known["unsent"] else {}
    if table == "cases" and row["digest"] != known["digest"]:
        raise InputError(f"run {row['run_id']}: case {row['case_id']} differs between the databases; merge neither")
    return {}


def _put_state(out: Store, run: Row) -> None:
    """Note when the run began and ended, and whether all of it is there."""
    (known,) = out.rows("SELECT * FROM runs WHERE run_id = ?", run["run_id"])
    divided = bool(out.rows("SELECT 1 FROM shards WHERE run_id = ? LIMIT 1", run["run_id"]))
    whole = not shards_missing(out, run["run_id"]) if divided else "complete" in {run["state"], known["state"]}
    ends = [str(row["finished_at"]) for row in (run, known) if row["finished_at"] is not None]
    row: dict[str, Value] = {
        "created_at": min(run["created_at"], known["created_at"]),
        "finished_at": max(ends, default=None),
        "state": "complete" if whole else "incomplete",
    }
    out.update("runs", {"run_id": run["run_id"]}, row)
