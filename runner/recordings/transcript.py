"""What a coding agent did in one attempt: its turns, its calls of tools and their results, and what it claims.

The times are monotonic nanoseconds of the attempt's own recording; None where nobody saw the moment.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from runner.recordings.vocabulary import EDITING, AgentUsage, CallKind, CallStatus


@dataclass(frozen=True, slots=True)
class TranscriptCall:
    """One call of a tool. `arguments` are JSON text as the model wrote it; `result` is what the model got to read."""

    call_id: str
    tool: str
    kind: CallKind
    arguments: str = ""
    paths: tuple[str, ...] = ()
    status: CallStatus = CallStatus.NO_RESULT
    cause: str | None = None
    result: str | None = None
    at_ns: int | None = None


@dataclass(frozen=True, slots=True)
class TranscriptTurn:
    """One answer of the model. `side` marks an answer to a request that declares no tools, such as for a title."""

    text: str = ""
    reasoning: str = ""
    calls: tuple[TranscriptCall, ...] = ()
    usage: AgentUsage | None = None
    began_ns: int | None = None
    ended_ns: int | None = None
    status: int = 200
    side: bool = False


@dataclass(frozen=True, slots=True)
class AgentClaims:
    """What the agent itself printed of the attempt; None where it printed nothing. `failed` is its own verdict."""

    turns: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    cost_usd: float | None = None
    failed: bool | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Transcript:
    """One attempt of an agent. `damaged` counts what could not be read; `plain` is what it printed besides.

    `changed` are the files of its folder that differ at the end, those that it removed among them.
    """

    agent: str
    version: str
    turns: tuple[TranscriptTurn, ...]
    claims: AgentClaims = AgentClaims()
    damaged: int = 0
    plain: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    @property
    def calls(self) -> tuple[TranscriptCall, ...]:
        """All calls, in their order."""
        return tuple(call for turn in self.turns for call in turn.calls)

    @property
    def by_tool(self) -> Mapping[str, int]:
        """How often each tool was called, by name."""
        return dict(sorted(Counter(call.tool for call in self.calls).items()))

    @property
    def files_read(self) -> tuple[str, ...]:
        """The files that calls have read, each once, in their order."""
        reads = (call for call in self.calls if call.kind is CallKind.READ and call.status is CallStatus.OK)
        return tuple(dict.fromkeys(path for call in reads for path in call.paths))

    @property
    def failed(self) -> tuple[TranscriptCall, ...]:
        """The calls that failed."""
        return tuple(call for call in self.calls if call.status is CallStatus.FAILED)

    @property
    def repeated(self) -> tuple[TranscriptCall, ...]:
        """The calls that do again what was done: equal to an earlier one, and no file was edited in between."""
        return tuple(_repeated(self.calls))

    @property
    def wasted(self) -> tuple[TranscriptCall, ...]:
        """The calls that failed or were repeated, each once."""
        ids = {call.call_id for call in (*self.failed, *self.repeated)}
        return tuple(call for call in self.calls if call.call_id in ids)


def _repeated(calls: tuple[TranscriptCall, ...]) -> Iterator[TranscriptCall]:
    seen: set[tuple[str, str]] = set()
    for call in calls:
        key = (call.tool, call.arguments)
        if key in seen:
            yield call
        if call.kind in EDITING and call.status is CallStatus.OK:
            # What was read before may read differently now.
            seen.clear()
        seen.add(key)
