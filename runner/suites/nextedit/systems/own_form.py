"""Questions to a system of one's own and its answers, as JSON: the form that docs/nextedit.md describes."""

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from runner.structs import NOT_EMPTY, WrongField, converted, fix
from runner.suites.nextedit.commits import Commit, split_lines
from runner.suites.nextedit.editor import EditorError, EditorSession, Mishap, Place, Suggestion
from runner.suites.nextedit.systems.historian_module import main_language

FORMAT = "next-edit-question-v1"
Ask = Literal["begin", "next", "content", "end"]
# A question, as it is sent.
Question = dict[str, object]
# An answer, as it comes.
Answer = Mapping[str, Any]
_LINES = fix("give a list of lines, each with its line end")


class EditForm(msgspec.Struct):
    """A predicted edit: the lines `before` at line `start` (from 0) of a file become `after`."""

    path: Annotated[str, NOT_EMPTY, fix("give the path of a file, a string")]
    start: Annotated[int, msgspec.Meta(ge=0), fix("give the first line, a whole number from 0")]
    before: Annotated[list[str], _LINES]
    after: Annotated[list[str], _LINES]
    confidence: Annotated[float | None, fix("give a number, or leave it out")] = None


class NextAnswer(msgspec.Struct):
    """The answer to `next`: what may come next, the likeliest first; an empty list says that nothing is left."""

    edits: Annotated[list[EditForm], fix('give {"edits": [...]}, an empty list where nothing is left to do')]


class ContentAnswer(msgspec.Struct):
    """The answer to `content`: the lines that take the place of those there, null for no answer."""

    lines: Annotated[list[str] | None, fix('give {"lines": [...]}, or null for no answer')]


def question_of(ask: Ask, commit: Commit, session: EditorSession, place: Place | None = None) -> Question:
    """The question about a commit under way, with all that the system may know of it."""
    return {
        "format": FORMAT,
        "ask": ask,
        "commit": commit.case_id,
        "project": commit.origin.project,
        "language": main_language(commit),
        "step": session.step,
        "message": session.message,
        "tree": None if session.tree is None else str(session.tree),
        "files": dict(session.texts),
        "touched": list(session.files),
        "edits": [
            {
                "path": past_edit.edit.path,
                "start": past_edit.now.start,
                "before": list(past_edit.edit.before),
                "after": list(past_edit.edit.after),
            }
            for past_edit in session.past_edits
        ],
        "place": place and {"path": place.path, "start": place.start, "before": list(place.before)},
    }


def edits_of(answer: Answer) -> list[Suggestion]:
    """The predictions in the answer to `next`. Raises EditorError that names the field and the fix."""
    form = converted(answer, NextAnswer, lambda wrong: _unfit("next", wrong))
    return [
        Suggestion(edit.path, edit.start, _lines(edit.before), _lines(edit.after), _finite(edit.confidence))
        for edit in form.edits
    ]


def lines_of(answer: Answer) -> tuple[str, ...] | None:
    """The lines in the answer to `content`. Raises EditorError that names the field and the fix."""
    form = converted(answer, ContentAnswer, lambda wrong: _unfit("content", wrong))
    return None if form.lines is None else _lines(form.lines)


def _unfit(ask: Ask, wrong: WrongField) -> EditorError:
    return EditorError(Mishap.NONSENSE, f"answer to {ask}: {wrong.path or 'it'} {wrong.problem}; {wrong.fix}")


def _lines(lines: Sequence[str]) -> tuple[str, ...]:
    """The lines, however they were cut."""
    return split_lines("".join(lines))


def _finite(confidence: float | None) -> float | None:
    return confidence if confidence is not None and math.isfinite(confidence) else None
