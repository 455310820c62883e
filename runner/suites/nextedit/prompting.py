"""What a prompted model sees of a commit under way: the task, the edits made, the files, and what is asked."""

import hashlib
from collections.abc import Iterator

from runner.suites.nextedit.editor import EditorSession, Made, Place

# About 40,000 tokens of code: more than nearly every commit touches, less than every current model takes.
BUDGET = 140_000
_KNOWN_TASK = "You are in the middle of this change to a project:"
_UNKNOWN_TASK = "You are in the middle of a change to a project; what it is for shows in the edits made so far."
_RECOMMEND = """\
Which edit comes next? Answer with replace_in_file on one of the files above, one block for the one place you would
change next; nothing that is done already, and no more than the next edit. If you see several possible next edits, write
one call for each, the likeliest first. Ask no questions and read no files: all you need is above."""
_FILL = """\
The next edit is in {path}, {where}. Make that edit and no other: answer with one call of replace_in_file on {path}. Ask
no questions and read no files: all you need is above."""


def wording_digest() -> str:
    """Eight hexadecimal digits of the wording: two runs asked the same if these agree and the system prompts do."""
    wording = "\0".join((_KNOWN_TASK, _UNKNOWN_TASK, _RECOMMEND, _FILL, str(BUDGET)))
    return hashlib.sha256(wording.encode()).hexdigest()[:8]


def recommend_message(session: EditorSession) -> str:
    """The question for place and content."""
    return sendable("\n\n".join((*_situation(session), _RECOMMEND)))


def fill_message(session: EditorSession, place: Place) -> str:
    """The question for the content of a given place."""
    if place.before:
        text = "".join(place.before)
        where = f"at line {place.start + 1}, in place of these lines:\n\n{text.rstrip(chr(10))}\n"
    else:
        where = f"a new part to be inserted before line {place.start + 1}"
    return sendable("\n\n".join((*_situation(session), _FILL.format(path=place.path, where=where))))


def sendable(text: str) -> str:
    """The text with a sign in place of what no request can carry: bytes that are no UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _situation(session: EditorSession) -> Iterator[str]:
    if session.message:
        yield f"{_KNOWN_TASK}\n\n{session.message.strip()}"
    else:
        yield _UNKNOWN_TASK
    edits = "\n".join(_past_edit_text(past_edit) for past_edit in session.past_edits)
    yield f"These edits are made already, oldest first:\n\n{edits}"
    yield from _files(session)


def _past_edit_text(past_edit: Made) -> str:
    lines = [f"{past_edit.edit.path}, line {past_edit.now.start + 1}:"]
    lines += [f"-{line.rstrip(chr(10))}" for line in past_edit.edit.before]
    lines += [f"+{line.rstrip(chr(10))}" for line in past_edit.edit.after]
    return "\n".join(lines) + "\n"


def _files(session: EditorSession) -> Iterator[str]:
    """The texts as they now are, the last edited first, as many as fit; the others by name."""
    recent = [past_edit.edit.path for past_edit in reversed(session.past_edits)]
    paths = [path for path in dict.fromkeys((*recent, *session.texts)) if path in session.texts]
    left, hidden = BUDGET, []
    for path in paths:
        text = session.texts[path]
        if len(text) > left:
            hidden.append(path)
            continue
        left -= len(text)
        yield f"{path} as it is now:\n\n<file>\n{text}{'' if text.endswith(chr(10)) or not text else chr(10)}</file>"
    if hidden:
        yield f"Too long to show: {', '.join(hidden)}"
