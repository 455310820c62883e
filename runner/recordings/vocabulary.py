"""What readers of recorded sessions return: calls of tools with the files they touched, and usage of models."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class CallKind(StrEnum):
    """What a call does. `edit`, `write` and `patch` change files by the agent's own tools; a shell may change any."""

    READ = "read"
    EDIT = "edit"
    WRITE = "write"
    PATCH = "patch"
    SHELL = "shell"
    OTHER = "other"


EDITING = frozenset({CallKind.EDIT, CallKind.WRITE, CallKind.PATCH})


class CallStatus(StrEnum):
    """How a call ended; `no_result` if the recording has no answer to it."""

    OK = "ok"
    FAILED = "failed"
    NO_RESULT = "no_result"


class CallCause(StrEnum):
    """Why a call failed, by the answer that the agent got."""

    NO_MATCH = "no_match"
    AMBIGUOUS = "ambiguous"
    NOT_READ = "not_read"
    STALE = "stale"
    IDENTICAL = "identical"
    FILE_MISSING = "file_missing"
    FILE_EXISTS = "file_exists"
    TRUNCATED_JSON = "truncated_json"
    INVALID_INPUT = "invalid_input"
    INVALID_PATCH = "invalid_patch"
    NO_TOOL = "no_tool"
    DENIED = "denied"
    OUT_OF_ORDER = "out_of_order"
    EXIT = "exit"
    OTHER = "other"


class Certainty(StrEnum):
    """How well the text of a file is known at a moment.

    - `exact`: the recording has the whole text, or a patch on such a text.
    - `derived`: rebuilt from a form that loses line ends, a final newline or blanks.
    - `last_seen`: as it was before a shell command that may have changed it.
    - `unknown`: no text.
    """

    EXACT = "exact"
    DERIVED = "derived"
    LAST_SEEN = "last_seen"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class FileState:
    """The text of a file at a moment; None where the file does not exist or, if `unknown`, where nothing is known."""

    text: str | None
    certainty: Certainty = Certainty.EXACT


UNKNOWN = FileState(None, Certainty.UNKNOWN)
ABSENT = FileState(None)


@dataclass(frozen=True, slots=True)
class TouchedFile:
    """A file that a call edits: its state when the call was made, and after it."""

    path: str
    before: FileState
    after: FileState


@dataclass(frozen=True, slots=True)
class Replacement:
    """What an editing call asks for: `old` is replaced by `new`, everywhere if `everywhere`; an empty `old` creates."""

    old: str
    new: str
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class AgentCall:
    """One call of a tool, as recorded.

    - `began`, `ended`: seconds since 1970, None where the form has no times.
    - `paths`: the files that it names, below the working folder where they lie in it.
    - `replacements`: the edits of one file that it asks for; () for other calls, and for whole files.
    - `diff`: its SEARCH/REPLACE text or patch, where that is the form of the tool.
    - `content`: the whole file that it writes; `command`: what it has a shell do.
    - `answer`: the text that the agent got, where turns are kept.
    - `touched`: the files that it edits.
    - `version`: of the agent, where a session was continued with another one; "" where the session says it.
    """

    call_id: str
    tool: str
    kind: CallKind
    model: str = ""
    began: float | None = None
    ended: float | None = None
    status: CallStatus = CallStatus.NO_RESULT
    cause: str | None = None
    paths: tuple[str, ...] = ()
    replacements: tuple[Replacement, ...] = ()
    diff: str = ""
    content: str = ""
    command: str = ""
    answer: str = ""
    touched: tuple[TouchedFile, ...] = ()
    subagent: bool = False
    version: str = ""


@dataclass(frozen=True, slots=True)
class AgentUsage:
    """The tokens of one answer of a model, in classes that do not overlap; `cost_usd` as the agent recorded it."""

    model: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: float | None = None
    at: float | None = None
    subagent: bool = False


@dataclass(frozen=True, slots=True)
class AgentTurn:
    """Words of the user or the assistant, or the place of a call; those of a subagent have its `thread`."""

    role: Literal["user", "assistant"]
    text: str = ""
    call_id: str = ""
    thread: str = ""


@dataclass(frozen=True, slots=True)
class AgentSession:
    """One recorded session. `damaged` counts parts that could not be read, such as a line that was cut.

    `turns` are in the order of the recording; none unless they were asked for.
    """

    agent: str
    version: str
    path: str
    folder: str
    calls: tuple[AgentCall, ...]
    usages: tuple[AgentUsage, ...]
    damaged: int = 0
    began: float | None = None
    turns: tuple[AgentTurn, ...] = ()


def session_texts(session: AgentSession) -> Iterator[str]:
    """Yield the words of a session, what its calls asked for and got, and the texts of its files."""
    yield from (turn.text for turn in session.turns)
    for call in session.calls:
        yield from (call.diff, call.content, call.command, call.answer)
        for edit in call.replacements:
            yield from (edit.old, edit.new)
        for file in call.touched:
            yield from (file.before.text or "", file.after.text or "")


@dataclass(frozen=True, slots=True)
class CauseRule:
    """A part of a message, in lower case, and the cause that it stands for."""

    part: str
    cause: CallCause


def cause_of(message: str, rules: tuple[CauseRule, ...]) -> CallCause:
    """Return the cause of the first rule whose part is in a message; `other` if there is none."""
    lowered = message.lower()
    return next((rule.cause for rule in rules if rule.part in lowered), CallCause.OTHER)
