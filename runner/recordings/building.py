"""Collects the calls of a session in the order in which they were made, while their results come in any order."""

from dataclasses import dataclass, field, replace
from datetime import datetime

from runner.recordings.known_files import KnownFiles
from runner.recordings.vocabulary import (
    AgentCall,
    AgentSession,
    AgentUsage,
    CallCause,
    CallKind,
    CallStatus,
    TouchedFile,
)

# The year 2200: a larger number is no time.
_FAR_MS = 7_258_118_400_000


@dataclass(slots=True)
class RecordingBuilder:
    """A session being read: its calls, its files, and the usage of models by answer."""

    agent: str
    path: str
    version: str = ""
    files: KnownFiles = field(default_factory=KnownFiles)
    damaged: int = 0
    began: float | None = None
    _calls: dict[str, AgentCall] = field(default_factory=dict)
    _usages: dict[str, AgentUsage] = field(default_factory=dict)

    def open(self, call: AgentCall) -> None:
        """Add a call. One whose id is known is the same call, written again."""
        self._calls.setdefault(call.call_id, call)

    def call(self, call_id: str) -> AgentCall | None:
        """Return the call of an id."""
        return self._calls.get(call_id)

    def close(
        self,
        call: AgentCall,
        cause: CallCause | str | None,
        touched: tuple[TouchedFile, ...] = (),
        ended: float | None = None,
    ) -> None:
        """Note how a call ended: well if `cause` is None."""
        status = CallStatus.OK if cause is None else CallStatus.FAILED
        text = None if cause is None else str(cause)
        self._calls[call.call_id] = replace(call, status=status, cause=text, touched=touched, ended=ended)
        for file in touched:
            if status is CallStatus.OK:
                self.files.put(file.path, file.after)
        if call.kind is CallKind.SHELL:
            self.files.shell_ran()

    def amend(self, call: AgentCall) -> None:
        """Replace what is known of a call."""
        self._calls[call.call_id] = call

    def use(self, answer_id: str, usage: AgentUsage) -> None:
        """Note the usage of an answer; written again, the last counts."""
        self._usages[answer_id] = usage

    def built(self) -> AgentSession:
        """Return what was read."""
        return AgentSession(
            agent=self.agent,
            version=self.version,
            path=self.path,
            folder=self.files.folder,
            calls=tuple(self._calls.values()),
            usages=tuple(self._usages.values()),
            damaged=self.damaged,
            began=self.began,
        )


def seconds(text: object) -> float | None:
    """Return an ISO 8601 time, or milliseconds since 1970, in seconds since 1970; None for what is no time of ours."""
    if isinstance(text, int | float) and not isinstance(text, bool):
        return text / 1000 if 0 <= text < _FAR_MS else None
    if not isinstance(text, str):
        return None
    try:
        time = datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        return None
    return time if 0 <= time * 1000 < _FAR_MS else None


def words(value: object) -> str:
    """Return a value as text; "" for what is none."""
    return value if isinstance(value, str) else ""


def number(value: object) -> int:
    """Return a count; 0 for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def mapping(value: object) -> dict[str, object]:
    """Return an object of a JSON text; an empty one for what is none."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[object]:
    """Return a list of a JSON text; an empty one for what is none."""
    return value if isinstance(value, list) else []
