"""Figures of large runs, kept once they are computed; triggers delete them when a row changes that they rest on."""

from contextlib import suppress

from runner.errors import InputError
from runner.storage.store import Row, Store

_SCORINGS = "SELECT coalesce(sum(n), 0) AS n FROM scoring_tallies WHERE run_id = ?"
_KEPT = "SELECT content FROM kept_figures WHERE run_id = ? AND part = ? AND digest = ?"
_PUT = "INSERT OR REPLACE INTO kept_figures (run_id, answers_of, part, digest, content) VALUES (?, ?, ?, ?, ?)"


def scorings_of(store: Store, run: Row) -> int:
    """Return how many scorings a run has, by the counts that are kept."""
    return int(store.rows(_SCORINGS, run["run_id"])[0]["n"])


def kept_figures(store: Store, run: Row, part: str, digest: str) -> bytes | None:
    """Return a part of a run's figures as it was kept under this digest; None where there is none."""
    rows = store.rows(_KEPT, run["run_id"], part, digest)
    return rows[0]["content"] if rows and isinstance(rows[0]["content"], bytes) else None


def changes(store: Store) -> int:
    """Return a number that is another one once another process has changed the database."""
    return int(store.rows("PRAGMA data_version")[0][0])


def keep_figures(store: Store, run: Row, part: str, digest: str, content: bytes, seen: int) -> None:
    """Keep a part of a run's figures, unless the file was changed since `changes` was `seen`, or cannot be written.

    Inside a snapshot nothing can be written.
    """
    if store.in_transaction:
        return
    with suppress(InputError), store.transaction():
        if changes(store) == seen:
            store.execute(_PUT, run["run_id"], run["replay_of"] or run["run_id"], part, digest, content)
