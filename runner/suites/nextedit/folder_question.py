"""The task of a coding agent at a step: its working folder holds the project with the edits made so far."""

from collections.abc import Sequence

from prompts import Prompt
from runner.suites.nextedit.editor import EditorSession, Made, Place
from runner.suites.nextedit.past_diffs import diff_of_edit
from runner.suites.nextedit.questions import StepQuestion, sendable

FOLDER_PROMPT = Prompt(
    "agent",
    "Your working folder holds a project in the middle of a change. Make exactly one edit: change one place in one"
    " file, and nothing else. Nobody can answer questions: decide yourself, and end when the edit is made.",
)
_TASK = "What the change is for:"
_NO_TASK = "What the change is for is not known; it shows in the edits that were made."
_MADE = "These edits were made so far, the latest one last:"
_LEFT_OUT = "({count} earlier edits are left out.)\n"
_NEXT = "Make the edit that comes next."
_PLACE = "The next edit is in {path}, {where}. Make this edit."
_REPLACED = "in place of the lines {line} to {last}"
_INSERTED = "where new lines go before line {line}"
WORDING = (_TASK, _NO_TASK, _MADE, _LEFT_OUT, _NEXT, _PLACE, _REPLACED, _INSERTED)


def ask_in_folder(session: EditorSession, place: Place | None, characters: int) -> StepQuestion:
    """Return the task of what comes next, or of a place, of about so many characters at most."""
    task = f"{_TASK}\n\n{session.message.strip()}" if session.message else _NO_TASK
    question = _NEXT if place is None else _PLACE.format(path=place.path, where=_where(place))
    edits = _past_edits(session, session.past_edits, characters - len(task) - len(question))
    return StepQuestion(sendable("\n\n".join((task[:characters], edits, question))))


def _where(place: Place) -> str:
    first, last = place.start + 1, place.start + len(place.before)
    return _REPLACED.format(line=first, last=last) if place.before else _INSERTED.format(line=first)


def _past_edits(session: EditorSession, past_edits: Sequence[Made], characters: int) -> str:
    """The edits so far, the last ones if not all fit."""
    left, diffs = characters, list[str]()
    for past_edit in reversed(past_edits):
        diff = diff_of_edit(past_edit, session.texts)
        left -= len(diff)
        if left < 0:
            break
        diffs.append(diff)
    missing = len(past_edits) - len(diffs)
    notes = [_LEFT_OUT.format(count=missing)] if missing else []
    return f"{_MADE}\n\n" + "\n".join((*notes, *reversed(diffs)))
