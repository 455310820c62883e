"""The question that goes with an agent's manual (`basic`, `strict`): the task, the edits made, whole files."""

from collections.abc import Sequence

from runner.suites.nextedit.context.excerpts import whole
from runner.suites.nextedit.editor import EditorSession, Made, Place
from runner.suites.nextedit.questions import StepQuestion, sendable

_KNOWN_TASK = "You are in the middle of this change to a project:"
_UNKNOWN_TASK = "You are in the middle of a change to a project; what it is for shows in the edits made so far."
_RECOMMEND = """\
Which edit comes next? Answer with one call for the one place you would change next: replace_in_file with one block for
a file that exists, write_to_file for a new file, execute_command with `git rm PATH` or `git mv OLD NEW` to delete or
move a file. Propose nothing that is done already, and no more than the next edit. If you see several possible next
edits, write one call for each, the likeliest first. If nothing is left to do, answer "Nothing more to do." without a
call. Ask no questions and read no files: all you need is above."""
_FILL = """\
The next edit is in {path}, {where}. Make that edit and no other: answer with one call of replace_in_file on {path}. Ask
no questions and read no files: all you need is above."""
_MADE = "These edits are made already, oldest first:"
_LEFT_OUT = "({count} earlier edits are left out)\n"
_TOO_LONG = "Too long to show: "


WORDING = (_KNOWN_TASK, _UNKNOWN_TASK, _RECOMMEND, _FILL, _LEFT_OUT)


def ask_agent(session: EditorSession, place: Place | None, characters: int) -> StepQuestion:
    """Return the question for what comes next, or for the content of a place, of at most so many characters."""
    question = _RECOMMEND if place is None else _fill_question(place)
    task = f"{_KNOWN_TASK}\n\n{session.message.strip()}" if session.message else _UNKNOWN_TASK
    left = characters - len(question) - len(task)
    edits = _past_edits(session.past_edits, left)
    files, hidden = _files(session, left - len(edits))
    notes = [f"{_TOO_LONG}{', '.join(hidden)}"] if hidden else []
    view = whole({path: session.texts[path] for path in files})
    return StepQuestion(sendable("\n\n".join((task, edits, *files.values(), *notes, question))), view)


def _fill_question(place: Place) -> str:
    if place.before:
        text = "".join(place.before)
        where = f"at line {place.start + 1}, in place of these lines:\n\n{text.rstrip(chr(10))}\n"
    else:
        where = f"a new part to be inserted before line {place.start + 1}"
    return _FILL.format(path=place.path, where=where)


def _past_edits(past_edits: Sequence[Made], characters: int) -> str:
    """The edits so far, the last ones if not all fit."""
    left, texts = characters - len(_MADE) - len(_LEFT_OUT), list[str]()
    for past_edit in reversed(past_edits):
        text = _past_edit_text(past_edit)
        left -= len(text) + 1
        if left < 0:
            break
        texts.append(text)
    missing = len(past_edits) - len(texts)
    notes = [_LEFT_OUT.format(count=missing)] if missing else []
    return f"{_MADE}\n\n" + "\n".join((*notes, *reversed(texts)))


def _past_edit_text(past_edit: Made) -> str:
    lines = [f"{past_edit.edit.path}, line {past_edit.now.start + 1}:"]
    lines += [f"-{line.rstrip(chr(10))}" for line in past_edit.edit.before]
    lines += [f"+{line.rstrip(chr(10))}" for line in past_edit.edit.after]
    return "\n".join(lines) + "\n"


def _files(session: EditorSession, characters: int) -> tuple[dict[str, str], list[str]]:
    """The texts as they now are, the last edited first, as many as fit; and the others by name."""
    recent = [past_edit.edit.path for past_edit in reversed(session.past_edits)]
    paths = [path for path in dict.fromkeys((*recent, *session.texts)) if path in session.texts]
    left = characters - sum(len(path) + 2 for path in paths) - len(_TOO_LONG)
    parts, hidden = dict[str, str](), list[str]()
    for path in paths:
        text = session.texts[path]
        part = f"{path} as it is now:\n\n<file>\n{text}{'' if text.endswith(chr(10)) or not text else chr(10)}</file>"
        if len(part) + 2 > left:
            hidden.append(path)
            continue
        left -= len(part) + 2
        parts[path] = part
    return parts, hidden
