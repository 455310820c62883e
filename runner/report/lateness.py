"""Whether the clocks of a run can be trusted: how late its event loop was, and which answers waited to be read."""

from collections.abc import Iterator
from dataclasses import dataclass

from runner.storage.store import Store

# Clocks that may be late by more than this are named.
LATE_MS = 50.0

_SESSIONS = "SELECT max(late_p99_ms) AS p99_ms FROM sessions WHERE run_id = ?"
_BATCHED = "SELECT coalesce(json_extract(config, '$.identity.batch_api'), 0) AS batched FROM runs WHERE run_id = ?"
_ANSWERS = """
SELECT count(*) AS disturbed, max(disturbed_ms) AS longest_ms
FROM answers a JOIN lanes l USING (lane_id) WHERE l.run_id = ? AND a.disturbed_ms > ?"""


@dataclass(frozen=True, slots=True)
class Lateness:
    """How late a run's event loop was (99th percentile of its worst session), and the answers with disturbed clocks.

    None = not known, as for runs of earlier versions. No statistic leaves these answers out. The answers of a run that
    asks in batches (`batched`) have no clocks.
    """

    p99_ms: float | None
    disturbed: int
    longest_ms: float | None
    batched: bool = False


def lateness_of(store: Store, run_id: str) -> Lateness:
    """Return the lateness of the run that asked."""
    (session,) = store.rows(_SESSIONS, run_id)
    (answers,) = store.rows(_ANSWERS, run_id, LATE_MS)
    (run,) = store.rows(_BATCHED, run_id)
    return Lateness(session["p99_ms"], answers["disturbed"], answers["longest_ms"], bool(run["batched"]))


def lateness_notes(lateness: Lateness) -> Iterator[str]:
    """Yield a line on the loop's lag if it is known, and a warning where clocks may be late or are unknown."""
    if lateness.batched:
        yield "answers were collected in batches: when each of them came is unknown"
        return
    answers = f"clocks of {lateness.disturbed} {'answer' if lateness.disturbed == 1 else 'answers'} may be late"
    if lateness.p99_ms is not None and lateness.p99_ms > LATE_MS:
        yield f"the event loop was late by {lateness.p99_ms:.0f} ms (p99): {answers}"
        return
    if lateness.p99_ms is not None:
        yield f"the event loop was late by {lateness.p99_ms:.1f} ms (p99)"
    if lateness.disturbed:
        yield f"{answers}: nothing could be read for up to {lateness.longest_ms:.0f} ms while they arrived"
