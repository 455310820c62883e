"""The question that goes with the prompt `nextedit/basic`: task, files or parts of them, edits made as diffs."""

from collections.abc import Iterator, Mapping, Sequence

from runner.suites.nextedit.commits import Span, split_lines
from runner.suites.nextedit.context.excerpts import View, excerpts
from runner.suites.nextedit.context.ranking import Bm25, Passage, passage_words, passages_of, ranked, words_of
from runner.suites.nextedit.editor import EditorSession, Made, Place
from runner.suites.nextedit.past_diffs import diff_of_edit
from runner.suites.nextedit.questions import StepQuestion, sendable

_TASK = "What the change is for:"
_NO_TASK = "What the change is for is not known; it shows in the edits that were made."
_FILES = """\
These are files of the project as they are now, with all edits made so far. The project may have others, and not every \
file has to be edited."""
_TOO_LONG = "These files are too long to be shown:"
_MADE = "These edits were made so far, the latest one last:"
_LEFT_OUT = "({count} earlier edits are left out.)\n"
_NEXT = "Which edits come next?"
_PLACE = "The next edit is in {path}, {where}. Write the call for this edit and for no other."
_REPLACED = "at line {line}, in place of these lines:\n\n{text}\n"
_LONG = "in place of the lines {line} to {last}"
_INSERTED = "where new lines go before line {line}"
_CREATED = "a file that does not exist yet"
# The task takes at most a quarter of the characters, and so does the place; the edits take half of the rest.
_PARTS = 4
# By so many of the last edits, beside the task, parts of files are ranked.
_LAST_EDITS = 5
WORDING = (_TASK, _NO_TASK, _FILES, _TOO_LONG, _MADE, _LEFT_OUT, _NEXT, _PLACE, _REPLACED, _LONG, _INSERTED, _CREATED)


def ask_by_steps(session: EditorSession, place: Place | None, characters: int) -> StepQuestion:
    """Return the question for what comes next, or for the content of a place, of at most so many characters."""
    most = characters // _PARTS
    question = _NEXT if place is None else _place_question(place, session.texts, most)
    task = f"{_TASK}\n\n{session.message.strip()[:most]}" if session.message else _NO_TASK
    left = characters - len(question) - len(task) - len(_FILES) - 12
    edits = _past_edits(session, left // 2)
    names = len(_TOO_LONG) + sum(len(path) + 2 for path in session.texts)
    view = _view(session, place, left - len(edits) - min(names, left // 4))
    hidden = [path for path in _order(session) if path not in view]
    parts = [task, _FILES, *(_file(path, session.texts[path], view[path]) for path in _order(session) if path in view)]
    if hidden:
        room = characters - len("\n\n".join((*parts, edits, question))) - 4
        parts.append(f"{_TOO_LONG} {', '.join(hidden)}."[: max(0, room)])
    return StepQuestion(sendable("\n\n".join((*filter(None, parts), edits, question))), view)


def query_of(message: str | None, past_edits: Sequence[Made]) -> list[str]:
    """Return the words by which parts of a project are ranked: those of the task and of the last edits, each once."""
    texts = [message or ""]
    for past_edit in past_edits[-_LAST_EDITS:]:
        texts += (past_edit.edit.path, *past_edit.edit.before, *past_edit.edit.after)
    return list(dict.fromkeys(word for text in texts for word in words_of(text)))


def _place_question(place: Place, texts: Mapping[str, str], characters: int) -> str:
    """The question for a place, whose lines are repeated if they are of at most so many characters."""
    text = "".join(place.before).rstrip("\n")
    if place.path not in texts:
        where = _CREATED
    elif len(text) > characters:
        where = _LONG.format(line=place.start + 1, last=place.start + len(place.before))
    elif place.before:
        where = _REPLACED.format(line=place.start + 1, text=text)
    else:
        where = _INSERTED.format(line=place.start + 1)
    return _PLACE.format(path=place.path, where=where)


def _past_edits(session: EditorSession, characters: int) -> str:
    """The edits so far, the last ones if not all fit; the very last is cut if it does not fit either."""
    left, diffs = characters - len(_MADE) - len(_LEFT_OUT), list[str]()
    for past_edit in reversed(session.past_edits):
        diff = diff_of_edit(past_edit, session.texts)
        if len(diff) + 1 > left and diffs:
            break
        diffs.append(diff[: max(0, left - 1)])
        left -= len(diff) + 1
    missing = len(session.past_edits) - len(diffs)
    notes = [_LEFT_OUT.format(count=missing)] if missing else []
    return f"{_MADE}\n\n" + "\n".join((*notes, *reversed(diffs)))


def _order(session: EditorSession) -> list[str]:
    """The files that were edited, the latest first, then the others by name, which says nothing of edits to come."""
    recent = (past_edit.edit.path for past_edit in reversed(session.past_edits))
    return [path for path in dict.fromkeys((*recent, *sorted(session.texts))) if path in session.texts]


def _view(session: EditorSession, place: Place | None, characters: int) -> View:
    """The lines that are shown: all if they fit, else the places first, and what has most to do with the edits made."""
    texts = {path: session.texts[path] for path in _order(session)}
    past_edits = (past_edit for past_edit in reversed(session.past_edits) if past_edit.edit.path in texts)
    places = [Passage(past_edit.edit.path, past_edit.now) for past_edit in past_edits]
    if place is not None and place.path in texts:
        places.insert(0, Passage(place.path, Span(place.start, place.start + len(place.before))))

    def by_relevance() -> list[Passage]:
        if session.passages is not None:
            return [passage for passage in session.passages if passage.path in texts]
        passages = [passage for path, text in texts.items() for passage in passages_of(path, text)]
        documents = [passage_words(passage, split_lines(texts[passage.path])) for passage in passages]
        return ranked(passages, Bm25(documents).scores(query_of(session.message, session.past_edits)))

    return excerpts(texts, places, by_relevance, characters, every_file=session.passages is None)


def _file(path: str, text: str, spans: Sequence[Span]) -> str:
    lines = split_lines(text)
    body = "".join(_visible(lines, spans))
    return f"{path}, {_which(len(lines), spans)}:\n\n<file>\n{body}</file>"


def _which(lines: int, spans: Sequence[Span]) -> str:
    if not lines:
        return "which is empty"
    if list(spans) == [Span(0, lines)]:
        return f"all {lines} lines" if lines > 1 else "its one line"
    numbers = ", ".join(f"{span.start + 1}-{span.end}" for span in spans)
    return f"lines {numbers} of {lines}"


def _visible(lines: Sequence[str], spans: Sequence[Span]) -> Iterator[str]:
    """The shown lines as they are, and between them which are left out."""
    at = 0
    for span in (*spans, Span(len(lines), len(lines))):
        if at < span.start:
            yield f"[lines {at + 1}-{span.start} are left out]\n"
        yield from (line if line.endswith("\n") else f"{line}\n" for line in lines[span.start : span.end])
        at = span.end
