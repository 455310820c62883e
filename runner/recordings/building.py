"""Collects the calls of a session in the order in which they were made, while their results come in any order."""

import re
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from runner.recordings.known_files import KnownFiles
from runner.recordings.vocabulary import (
    EDITING,
    AgentCall,
    AgentSession,
    AgentTurn,
    AgentUsage,
    CallCause,
    CallKind,
    CallStatus,
    CauseRule,
    TouchedFile,
    cause_of,
)

# The year 2200: a larger number is no time.
_FAR_MS = 7_258_118_400_000


@dataclass(frozen=True, slots=True)
class AgentWords:
    """How an agent speaks of failures: causes by parts of its messages, and the exit code of a shell command."""

    agent: str
    rules: tuple[CauseRule, ...]
    exit_code: re.Pattern[str] | None = None


def failure_cause(words: AgentWords, answer: str, *, shell: bool, cause: CallCause | None = None) -> str:
    """Return why a call failed: the cause, if it is known, else the one that the agent's words stand for.

    Of a shell command that ended with an exit code and nothing else, that code.
    """
    named = cause or cause_of(answer, words.rules)
    pattern = words.exit_code if shell and named is CallCause.OTHER else None
    code = pattern.search(answer) if pattern else None
    return f"{CallCause.EXIT}_{code[1]}" if code else str(named)


@dataclass(slots=True)
class RecordingBuilder:
    """A session being read: its calls, its files, the usage of models by answer, and turns if they are kept.

    `at` is the time of the record being read: the end of the calls whose results it has. `scope` stands before its ids,
    which another session in the same file may have too.
    """

    words: AgentWords
    path: str
    keeps_turns: bool = False
    thread: str = ""
    at: float | None = None
    scope: str = ""
    version: str = ""
    files: KnownFiles = field(default_factory=KnownFiles)
    damaged: int = 0
    began: float | None = None
    _calls: dict[str, AgentCall] = field(default_factory=dict)
    _usages: dict[str, AgentUsage] = field(default_factory=dict)
    _turns: list[AgentTurn] = field(default_factory=list)

    def open(self, call: AgentCall) -> None:
        """Add a call. One whose id is known is the same call, written again."""
        if call.call_id not in self._calls:
            self._calls[call.call_id] = call
            if self.keeps_turns:
                self._turns.append(AgentTurn("assistant", "", call.call_id, self.thread))

    def say(self, role: Literal["user", "assistant"], text: str) -> None:
        """Add words of the user or the assistant."""
        if self.keeps_turns and text.strip():
            self._turns.append(AgentTurn(role, text, "", self.thread))

    def call(self, call_id: str) -> AgentCall | None:
        """Return the call of an id."""
        return self._calls.get(call_id)

    def succeed(self, call: AgentCall, answer: str = "", touched: tuple[TouchedFile, ...] = ()) -> None:
        """Note that a call did what it was to do, and the files that it edited."""
        for file in touched:
            self.files.put(file.path, file.after)
        self._end(call, CallStatus.OK, None, touched, answer)

    def fail(self, call: AgentCall, answer: str, cause: CallCause | None = None) -> None:
        """Note that a call failed: for a cause, else for the one that the agent's words stand for."""
        files = call.paths if call.kind in EDITING else ()
        states = ((path, self.files.state(path)) for path in files)
        touched = tuple(TouchedFile(path, state, state) for path, state in states)
        named = failure_cause(self.words, answer, shell=call.kind is CallKind.SHELL, cause=cause)
        self._end(call, CallStatus.FAILED, named, touched, answer)

    def _end(
        self, call: AgentCall, status: CallStatus, cause: str | None, touched: tuple[TouchedFile, ...], answer: str
    ) -> None:
        # One copy of a call, since dense sessions have thousands of them.
        self._calls[call.call_id] = replace(
            call,
            status=status,
            cause=cause,
            touched=touched,
            ended=self.at,
            answer=answer if self.keeps_turns else call.answer,
        )
        if call.kind is CallKind.SHELL:
            self.files.shell_ran()

    def use(self, answer_id: str, usage: AgentUsage) -> None:
        """Note the usage of an answer; written again, the last counts. One without an id is an answer of its own."""
        self._usages[answer_id or f"#{len(self._usages)}"] = usage

    @property
    def has_usages(self) -> bool:
        """Whether the usage of an answer was noted."""
        return bool(self._usages)

    def built(self) -> AgentSession:
        """Return what was read."""
        return AgentSession(
            agent=self.words.agent,
            version=self.version,
            path=self.path,
            folder=self.files.folder,
            calls=tuple(self._calls.values()),
            usages=tuple(self._usages.values()),
            damaged=self.damaged,
            began=self.began,
            turns=tuple(self._turns),
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


def joined(content: object) -> str:
    """Return a text, or the texts of a list of parts, one below the other."""
    return (
        content if isinstance(content, str) else "\n".join(words(mapping(part).get("text")) for part in items(content))
    )
