"""What a session leaves: its ledger, how late its clocks were, how it ended, and what the user has to know of it."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from runner.console import say
from runner.run.drain import Drain
from runner.run.engine import Lane
from runner.run.heartbeat import Heartbeat
from runner.run.protocols import AsksElsewhere
from runner.run.session import SessionEnd
from runner.storage.ledger import LaneKey, Ledger
from runner.storage.overflows import overflows_of, put_overflows
from runner.storage.runs import crashed_count, finish, put_session, utc_now
from runner.storage.store import Store, UnwritableError


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """The record of one session of a run, which began when this was made."""

    store: Store
    run_id: str
    ledger: Ledger
    lanes: Sequence[Lane] = ()
    heartbeat: Heartbeat = field(default_factory=Heartbeat)
    began_at: str = field(default_factory=utc_now)

    @classmethod
    def begin(cls, store: Store, run_id: str, lanes: Sequence[Lane]) -> "SessionRecord":
        """Begin the record, with the ledger as earlier sessions left it."""
        return cls(store, run_id, Ledger(store, run_id, utc_now, say), lanes)

    def collector(self, poll_s: float, drain: Drain) -> AsksElsewhere:
        """Return what asks in batches, and looks at each every `poll_s` seconds; it knows those of earlier sessions."""
        # With the HTTP client, which only this needs.
        from runner.run.batch_collector import BatchCollector, BatchPace
        from runner.storage.open_batches import batch_record

        pace = BatchPace(time.monotonic_ns, time.time, poll_s)
        return BatchCollector(batch_record(self.store, self.run_id), self.ledger, drain, pace, say)

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
            put_overflows(self.store, self.run_id, self._overflows())
            finish(self.store, self.run_id, utc_now(), complete=complete)
        except UnwritableError as error:
            if not stopped:
                say(str(error))
            return False
        return not stopped

    def _overflows(self) -> Iterator[tuple[LaneKey, str | None]]:
        """Yield the lanes that turned out to be too long, and those that did not though they may have been before."""
        before = {LaneKey(row["sut"], row["prompt"], row["case_id"]) for row in overflows_of(self.store, self.run_id)}
        for lane in self.lanes:
            if lane.too_long or lane.key in before:
                yield lane.key, lane.abandoned if lane.too_long else None


def say_end(end: SessionEnd, lanes: Sequence[Lane]) -> None:
    """Print which lanes were given up, and why the session stopped."""
    reasons = {lane.abandoned: lane for lane in lanes if lane.abandoned and lane.again}
    for reason, lane in reasons.items():
        more = sum(other.abandoned == reason for other in lanes) - 1
        what = "too long" if lane.too_long else "given up"
        say(f"{what}: {lane.key.case_id} of {lane.key.sut}{f' and {more} more' if more else ''}: {reason}")
    if end.reason:
        say(f"stopped: {end.reason}")
