"""What a session leaves: its ledger, how late its clocks were, how it ended, and what the user has to know of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from runner.console import say
from runner.run.engine import Lane
from runner.run.heartbeat import Heartbeat
from runner.run.session import SessionEnd
from runner.storage.ledger import Ledger
from runner.storage.runs import crashed_count, finish, put_session, utc_now
from runner.storage.store import Store, UnwritableError


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """The record of one session of a run, which began when this was made."""

    store: Store
    run_id: str
    ledger: Ledger
    heartbeat: Heartbeat = field(default_factory=Heartbeat)
    began_at: str = field(default_factory=utc_now)

    @classmethod
    def begin(cls, store: Store, run_id: str) -> "SessionRecord":
        """Begin the record, with the ledger as earlier sessions left it."""
        return cls(store, run_id, Ledger(store, run_id, utc_now, say))

    def end(self, end: SessionEnd) -> SessionEnd:
        """Note how a session ended; return that with what only the database knows of it."""
        crashed = max(end.crashed + self.ledger.refused, crashed_count(self.store, self.run_id))
        complete = end.complete and not self.ledger.stopped
        return replace(end, crashed=crashed, complete=self.put_end(complete=complete) and complete)

    def put_end(self, *, complete: bool) -> bool:
        """Note that the session has ended; return whether all that it did is in the database."""
        stopped = self.ledger.stopped
        if stopped:
            say(stopped)
            # The writer has waited long enough.
            self.store.wait_for_locks(0)
        try:
            if self.ledger.asked:
                put_session(self.store, self.run_id, self.began_at, self.heartbeat.lag())
            finish(self.store, self.run_id, utc_now(), complete=complete)
        except UnwritableError as error:
            if not stopped:
                say(str(error))
            return False
        return not stopped


def say_end(end: SessionEnd, lanes: Sequence[Lane]) -> None:
    """Print which lanes were given up, and why the session stopped."""
    reasons = {lane.abandoned: lane for lane in lanes if lane.abandoned}
    for reason, lane in reasons.items():
        more = sum(other.abandoned == reason for other in lanes) - 1
        say(f"given up: {lane.key.case_id} of {lane.key.sut}{f' and {more} more' if more else ''}: {reason}")
    if end.reason:
        say(f"stopped: {end.reason}")
