"""What a prompted model sees of a commit under way: the task, the edits made, the files, and what is asked."""

import hashlib
from collections.abc import Iterator, Sequence

from runner.suites.nextedit.editor import EditorSession, Made, Place

# About 46,000 tokens: more than nearly every commit needs, less than every current model takes.
MOST_CHARACTERS = 160_000
# The words of an answer that predicts no edit, in small letters.
NOTHING_MORE = "nothing more to do"
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


def wording_digest(characters: int) -> str:
    """Eight hexadecimal digits of the wording: two runs asked the same if these agree and the system prompts do."""
    wording = "\0".join((_KNOWN_TASK, _UNKNOWN_TASK, _RECOMMEND, _FILL, _LEFT_OUT, str(characters)))
    return hashlib.sha256(wording.encode()).hexdigest()[:8]


def recommend_message(session: EditorSession, characters: int = MOST_CHARACTERS) -> str:
    """The question for place and content, of at most so many characters."""
    return _message(session, _RECOMMEND, characters)


def fill_message(session: EditorSession, place: Place, characters: int = MOST_CHARACTERS) -> str:
    """The question for the content of a given place, of at most so many characters."""
    if place.before:
        text = "".join(place.before)
        where = f"at line {place.start + 1}, in place of these lines:\n\n{text.rstrip(chr(10))}\n"
    else:
        where = f"a new part to be inserted before line {place.start + 1}"
    return _message(session, _FILL.format(path=place.path, where=where), characters)


def sendable(text: str) -> str:
    """The text with a sign in place of what no request can carry: bytes that are no UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _message(session: EditorSession, question: str, characters: int) -> str:
    task = f"{_KNOWN_TASK}\n\n{session.message.strip()}" if session.message else _UNKNOWN_TASK
    left = characters - len(question) - len(task)
    edits = _past_edits(session.past_edits, left)
    files = _files(session, left - len(edits))
    return sendable("\n\n".join((task, edits, *files, question)))


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


def _files(session: EditorSession, characters: int) -> Iterator[str]:
    """The texts as they now are, the last edited first, as many as fit; the others by name as far as that fits."""
    recent = [past_edit.edit.path for past_edit in reversed(session.past_edits)]
    paths = [path for path in dict.fromkeys((*recent, *session.texts)) if path in session.texts]
    left, hidden = characters - sum(len(path) + 2 for path in paths) - len(_TOO_LONG), []
    for path in paths:
        text = session.texts[path]
        part = f"{path} as it is now:\n\n<file>\n{text}{'' if text.endswith(chr(10)) or not text else chr(10)}</file>"
        if len(part) + 2 > left:
            hidden.append(path)
            continue
        left -= len(part) + 2
        yield part
    if hidden:
        yield f"{_TOO_LONG}{', '.join(hidden)}"
