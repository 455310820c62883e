"""Sessions as their forms read them, and what tests compare of them with what was planted."""

from pathlib import Path

from runner.recordings.finding import FORMS, form_of
from runner.recordings.vocabulary import AgentSession, CallStatus
from tests.planted_sessions import PlannedEdit

# A chat of Aider has neither times nor exact counts of tokens: its tests stand apart.
AGENTS = [form.agent for form in FORMS if form.agent != "aider"]


def read(path: Path) -> AgentSession:
    """A session by the form that its file has."""
    form = form_of(path)
    assert form is not None
    return form.read(path)


def ends(recording: AgentSession) -> list[tuple[str, str | None]]:
    """The first file of each call that has a result, and why it failed, if it did."""
    return [(call.paths[0], call.cause) for call in recording.calls if call.status is not CallStatus.NO_RESULT]


def planted_ends(edits: list[PlannedEdit]) -> list[tuple[str, str | None]]:
    """The same of planted edits."""
    return [(edit.path, edit.cause) for edit in edits]
