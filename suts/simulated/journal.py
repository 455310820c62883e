"""The server's own record of what it did, against which a client's figures can be checked."""

from collections import Counter
from dataclasses import dataclass, field

from suts.simulated.usage import Counted


@dataclass(slots=True)
class JournalEntry:
    """One request for an answer, in monotonic nanoseconds; None = never happened.

    `number` is 0 where none was taken; `whole` says that the answer was written to its end and nothing was
    wrong with it: only such answers use up their number. `planned` is the outcome of the planned answer; `turn` is how
    many calls of a coding agent were answered before, None where no agent asked.
    """

    arrived_ns: int
    wire: str
    model: str
    case_id: str = ""
    number: int = 0
    planned: str = ""
    fault: str = ""
    status: int = 0
    stream: bool = True
    first_byte_ns: int | None = None
    ended_ns: int | None = None
    whole: bool = False
    usage: Counted | None = None
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class Stats:
    """Totals since the start or the last reset; `open` and `peak` count requests that are being answered."""

    requests: int
    open: int
    peak: int
    whole: int
    statuses: dict[str, int]
    faults: dict[str, int]


@dataclass(slots=True)
class Journal:
    """All entries in the order of arrival, and how many are open."""

    entries: list[JournalEntry] = field(default_factory=list)
    open: int = 0
    peak: int = 0

    def begin(self, entry: JournalEntry) -> None:
        """A request has come."""
        self.entries.append(entry)
        self.open += 1
        self.peak = max(self.peak, self.open)

    def end(self) -> None:
        """A request is over, well or not."""
        self.open -= 1

    def forget(self) -> None:
        """Drop the entries that are over."""
        self.entries = [entry for entry in self.entries if entry.ended_ns is None]
        self.peak = self.open

    @property
    def stats(self) -> Stats:
        """The totals."""
        entries = self.entries
        return Stats(
            requests=len(entries),
            open=self.open,
            peak=self.peak,
            whole=sum(entry.whole for entry in entries),
            statuses=dict(Counter(str(entry.status) for entry in entries if entry.status)),
            faults=dict(Counter(entry.fault for entry in entries if entry.fault)),
        )
