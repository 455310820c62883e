"""Which editing calls belong together: the tries of one edit, from the first to the one that succeeds."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter

from runner.recordings.vocabulary import EDITING, AgentCall, AgentSession, AgentUsage, CallKind, CallStatus

_TIME = itemgetter(0)


@dataclass(frozen=True, slots=True)
class EditTries:
    """The calls for one edit of a file, in order: failed ones, then the one that succeeded, if any did."""

    path: str
    calls: tuple[AgentCall, ...]

    @property
    def succeeded(self) -> bool:
        """Whether the last call succeeded."""
        return self.calls[-1].status is CallStatus.OK

    @property
    def failed(self) -> tuple[AgentCall, ...]:
        """The calls that failed."""
        return tuple(call for call in self.calls if call.status is CallStatus.FAILED)

    @property
    def retry_seconds(self) -> float | None:
        """Seconds from the first call to the end of the last; None where the form has no times, 0 without a retry."""
        if not self.failed:
            return 0.0
        first, last = self.calls[0], self.calls[-1]
        end = last.ended if last.ended is not None else last.began
        return None if first.began is None or end is None else max(end - first.began, 0.0)


def is_edit(call: AgentCall) -> bool:
    """Return whether a call edits a file, or would have if the agent had taken its input."""
    return call.kind in EDITING


def tries_of(recording: AgentSession) -> Iterator[EditTries]:
    """Yield the tries of each edit of a session, in the order in which they ended.

    A failed call belongs to the next editing call of one of its files. A call that the tool refused for its
    input counts as a try where it names a file. Calls without a result are no tries.
    """
    waiting: dict[str, list[AgentCall]] = {}
    for call in recording.calls:
        counts = is_edit(call) or (call.kind is CallKind.OTHER and call.cause == "invalid_input")
        if not counts or call.status is CallStatus.NO_RESULT:
            continue
        path = next((path for path in call.paths if path in waiting), call.paths[0] if call.paths else "")
        if call.status is CallStatus.OK:
            yield EditTries(path, (*waiting.pop(path, ()), call))
        else:
            waiting.setdefault(path, []).append(call)
    for path, calls in waiting.items():
        yield EditTries(path, tuple(calls))


def timed_usages(recording: AgentSession) -> list[tuple[float, AgentUsage]]:
    """Return the usages of a session whose times are known, in order."""
    timed = [(usage.at, usage) for usage in recording.usages if usage.at is not None]
    return sorted(timed, key=_TIME)


def usages_of_retries(usages: Sequence[tuple[float, AgentUsage]], tries: EditTries) -> Iterator[AgentUsage]:
    """Yield the usage of the answers that followed the first failed call, up to the last call of the tries."""
    began, end = tries.calls[0].began, tries.calls[-1].began
    if not tries.failed or began is None or end is None:
        return
    for _, usage in usages[bisect_right(usages, began, key=_TIME) : bisect_right(usages, end, key=_TIME)]:
        yield usage
