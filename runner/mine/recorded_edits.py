"""Diff-edit cases from recorded sessions: which calls make one, and the reasons why the others do not."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from runner.audit.tries import is_edit, tries_of
from runner.mine.recorded_conversation import EditRequest, edit_requests
from runner.recordings.vocabulary import AgentCall, AgentSession, CallStatus, Certainty, FileState, TouchedFile


class NoCase(StrEnum):
    """Why an editing call gives no case."""

    NO_RESULT = "no_result"
    SEVERAL_FILES = "several_files"
    NO_FILE = "no_file"
    NEW_FILE = "new_file"
    DELETED_FILE = "deleted_file"
    UNKNOWN_FILE = "unknown_file"
    DERIVED_FILE = "derived_file"
    LAST_SEEN_FILE = "last_seen_file"
    NEVER_SUCCEEDED = "never_succeeded"
    CHANGED_MEANWHILE = "changed_meanwhile"
    NO_CHANGE = "no_change"
    NO_REQUEST = "no_request"
    # What a strict check would find.
    BLANK_FILE = "blank_file"
    LANGUAGE = "language"
    SYNTAX = "syntax"
    OUT_OF_REACH = "out_of_reach"
    DUPLICATE = "duplicate"


_UNKNOWN = {
    Certainty.UNKNOWN: NoCase.UNKNOWN_FILE,
    Certainty.DERIVED: NoCase.DERIVED_FILE,
    Certainty.LAST_SEEN: NoCase.LAST_SEEN_FILE,
}


@dataclass(frozen=True, slots=True)
class RecordedEdit:
    """An editing call of which a case can be made: the file before it, and after the edit that was accepted."""

    request: EditRequest
    path: str
    before: str
    after: str

    @property
    def call(self) -> AgentCall:
        """The call."""
        return self.request.call


class _NoCaseError(Exception):
    def __init__(self, reason: NoCase) -> None:
        super().__init__(reason)
        self.reason = reason


def recorded_edits(
    session: AgentSession, refused: Counter[NoCase], *, failed_only: bool = False
) -> Iterator[RecordedEdit]:
    """Yield the edits of a session that make a case, in order; the others are counted by reason."""
    accepted = _accepted(session)
    texts: dict[str, tuple[str, str, str]] = {}
    for call in session.calls:
        if not is_edit(call) or (failed_only and call.status is CallStatus.OK):
            continue
        try:
            texts[call.call_id] = _texts(call, accepted)
        except _NoCaseError as error:
            refused[error.reason] += 1
    for request in edit_requests(session, frozenset(texts)):
        if any(message["role"] == "user" for message in request.messages):
            yield RecordedEdit(request, *texts[request.call.call_id])
        else:
            refused[NoCase.NO_REQUEST] += 1


def _accepted(session: AgentSession) -> Mapping[str, AgentCall]:
    """Return the call that succeeded in the end, by the ids of those that failed before it."""
    return {
        call.call_id: tries.calls[-1] for tries in tries_of(session) if tries.succeeded for call in tries.calls[:-1]
    }


def _texts(call: AgentCall, accepted: Mapping[str, AgentCall]) -> tuple[str, str, str]:
    """Return path, text before and text after the accepted edit. Raises _NoCaseError."""
    if call.status is CallStatus.NO_RESULT:
        raise _NoCaseError(NoCase.NO_RESULT)
    file = _only_file(call)
    before = _known(file.before, NoCase.NEW_FILE)
    if call.status is CallStatus.OK:
        after = _known(file.after, NoCase.DELETED_FILE)
    else:
        success = accepted.get(call.call_id)
        if success is None:
            raise _NoCaseError(NoCase.NEVER_SUCCEEDED)
        later = next((other for other in success.touched if other.path == file.path), None)
        if later is None or _known(later.before, NoCase.NEW_FILE) != before:
            raise _NoCaseError(NoCase.CHANGED_MEANWHILE)
        after = _known(later.after, NoCase.DELETED_FILE)
    if before == after:
        raise _NoCaseError(NoCase.NO_CHANGE)
    return file.path, before, after


def _only_file(call: AgentCall) -> TouchedFile:
    if len(call.touched) != 1:
        raise _NoCaseError(NoCase.SEVERAL_FILES if call.touched else NoCase.NO_FILE)
    return call.touched[0]


def _known(state: FileState, absent: NoCase) -> str:
    """Return a text that is known exactly."""
    if state.certainty is not Certainty.EXACT:
        raise _NoCaseError(_UNKNOWN[state.certainty])
    if state.text is None:
        raise _NoCaseError(absent)
    return state.text


def session_name(session: AgentSession) -> str:
    """Return a short name of a session, from the names of its file and folder."""
    path = Path(session.path)
    # A task of Cline and a chat of Aider are known by their folders.
    has_own_name = path.stem != "api_conversation_history" and not path.name.startswith(".")
    stem = path.name.partition(".")[0] if has_own_name else path.parent.name
    return f"{session.agent}-{''.join(sign if sign.isalnum() else '-' for sign in stem)[-24:].strip('-')}"
