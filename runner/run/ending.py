"""The end of a session: what the database notes of it, and what the user has to know."""

from collections.abc import Callable, Sequence

from runner.console import say
from runner.run.engine import Lane
from runner.run.session import SessionEnd
from runner.storage.ledger import Ledger
from runner.storage.runs import finish, utc_now
from runner.storage.store import Store, UnwritableError


def note_end(store: Store, run_id: str, ledger: Ledger, put_lag: Callable[[], None], *, complete: bool) -> bool:
    """Note that the session has ended, and its lag by `put_lag`; return whether all that it did is in the database."""
    if ledger.stopped:
        say(ledger.stopped)
        # The writer has waited long enough.
        store.wait_for_locks(0)
    try:
        put_lag()
        finish(store, run_id, utc_now(), complete=complete)
    except UnwritableError as error:
        if not ledger.stopped:
            say(str(error))
        return False
    return not ledger.stopped


def say_end(end: SessionEnd, lanes: Sequence[Lane], run_id: str) -> None:
    """Print which lanes were given up, why the session stopped, and how to resume."""
    reasons = {lane.abandoned: lane for lane in lanes if lane.abandoned}
    for reason, lane in reasons.items():
        more = sum(other.abandoned == reason for other in lanes) - 1
        say(f"given up: {lane.key.case_id} of {lane.key.sut}{f' and {more} more' if more else ''}: {reason}")
    if end.reason:
        say(f"stopped: {end.reason}")
    if not end.complete:
        say(f"incomplete; resume with the same command and --run-id {run_id}")
