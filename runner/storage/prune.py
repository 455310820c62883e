"""Making a database smaller: raw streams that are old enough, texts that nothing needs, and what each run takes."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from runner.errors import InputError
from runner.storage.store import Row, Store

_AGE = re.compile(r"(\d+(?:\.\d+)?)\s*([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
# Later than any moment that the database keeps.
ALWAYS = "9999"


@dataclass(frozen=True, slots=True)
class Pruned:
    """What was deleted of a run, or would be: rows, and the bytes that they take in the database."""

    run_id: str
    count: int
    stored_bytes: int


@dataclass(frozen=True, slots=True)
class Size:
    """What a run takes in the database, in bytes.

    `raw_bytes` is what its streams were before they were packed. A text that several runs use is counted in each.
    """

    streams: int = 0
    stream_bytes: int = 0
    raw_bytes: int = 0
    texts: int = 0
    text_bytes: int = 0


def cutoff(utc_now: str, age: str) -> str:
    """Return the time `30d`, `12h`, `90m` or `2w` before now, in the database's form. Raises InputError."""
    match = _AGE.fullmatch(age.strip())
    if not match:
        raise InputError(f"--older-than: {age!r} is no age; write such as 30d, 12h, 90m or 2w")
    try:
        moment = datetime.fromisoformat(utc_now) - timedelta(**{_UNITS[match[2]]: float(match[1])})
    except OverflowError:
        # Before all calendars: nothing is that old.
        return ""
    return moment.isoformat(timespec="milliseconds")


_OLD = """
SELECT l.run_id, count(*) AS count, coalesce(sum(length(s.data)), 0) AS stored_bytes
FROM streams s JOIN answers a USING (answer_id) JOIN lanes l USING (lane_id)
WHERE l.run_id = coalesce(?, l.run_id) AND a.sent_at < ? GROUP BY l.run_id ORDER BY min(a.sent_at)
"""
_DELETE = """
DELETE FROM streams WHERE answer_id IN (
    SELECT a.answer_id FROM answers a JOIN lanes l USING (lane_id)
    WHERE l.run_id = coalesce(?, l.run_id) AND a.sent_at < ?)
"""


def prune_streams(store: Store, before: str, run: Row | None, *, dry_run: bool) -> list[Pruned]:
    """Delete the streams of answers sent before a moment, of one run or of all; per run what that is.

    A run that replays another has no streams of its own: those of the run it replays are meant.
    """
    run_id: str | None = (run["replay_of"] or run["run_id"]) if run is not None else None
    with store.transaction():
        runs = [Pruned(**dict(row)) for row in store.rows(_OLD, run_id, before)]
        if not dry_run:
            store.execute(_DELETE, run_id, before)
    return runs


def prune_texts(store: Store, *, dry_run: bool) -> tuple[int, int]:
    """Delete the texts that no row refers to; how many, and their stored bytes. Nothing may run meanwhile."""
    used = " UNION ".join(
        f"SELECT {column} FROM {table} WHERE {column} IS NOT NULL"  # noqa: S608 - names from the schema
        for table, column in _references(store)
    )
    unused = f"FROM texts WHERE text_id NOT IN ({used})"
    # The condition holds what the foreign keys would look for row by row, each time with a scan of every table.
    store.execute("PRAGMA foreign_keys = OFF")
    try:
        with store.transaction():
            count, size = store.rows(f"SELECT count(*), coalesce(sum(length(content)), 0) {unused}")[0]
            if not dry_run:
                store.execute(f"DELETE {unused}")
    finally:
        store.execute("PRAGMA foreign_keys = ON")
    return count, size


def _references(store: Store) -> list[tuple[str, str]]:
    """Return every table and column that refers to a text."""
    sql = """
        SELECT m.name, f."from" FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f
        WHERE m.type = 'table' AND f."table" = 'texts'"""
    return [(row[0], row[1]) for row in store.rows(sql)]


_STREAM_SIZES = """
SELECT l.run_id, count(*) AS streams, sum(length(s.data)) AS stream_bytes, sum(s.bytes) AS raw_bytes
FROM streams s JOIN answers a USING (answer_id) JOIN lanes l USING (lane_id) GROUP BY l.run_id
"""
_TEXT_SIZES = """
WITH used AS (
    SELECT run_id, content_id AS text_id FROM cases
    UNION SELECT run_id, system_id FROM lanes
    UNION SELECT run_id, request_id FROM answers JOIN lanes USING (lane_id)
    UNION SELECT run_id, answers.text_id FROM answers JOIN lanes USING (lane_id)
    UNION SELECT run_id, reasoning_id FROM answers JOIN lanes USING (lane_id)
    UNION SELECT run_id, edited_id FROM scorings)
SELECT run_id, count(*) AS texts, sum(length(content)) AS text_bytes
FROM used JOIN texts USING (text_id) GROUP BY run_id
"""


def sizes(store: Store) -> dict[str, Size]:
    """Return what each run takes, by its id."""
    counts: dict[str, dict[str, int]] = {row[0]: {} for row in store.rows("SELECT run_id FROM runs")}
    for sql in (_STREAM_SIZES, _TEXT_SIZES):
        for row in store.rows(sql):
            numbers = dict(row)
            counts[numbers.pop("run_id")] |= numbers
    return {run_id: Size(**numbers) for run_id, numbers in counts.items()}


def shrink(store: Store) -> tuple[int, int]:
    """Give the space of what was deleted back to the disk; the file's bytes before and after, without its log."""
    before = store.path.stat().st_size
    store.vacuum()
    return before, store.path.stat().st_size
