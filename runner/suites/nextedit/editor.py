"""What a system that predicts edits is: it is shown a commit under way and says where and what comes next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol, runtime_checkable

from runner.errors import InputError
from runner.suites.nextedit.commits import Edit, EditKind, Span, is_inside, split_lines
from runner.suites.nextedit.context.ranking import Passage


class Leak(StrEnum):
    """What a system may know of a commit besides the edits made so far; each level knows what those before it know."""

    NONE = "none"
    FILES = "files"
    MESSAGE = "message"


def leak_named(name: str) -> Leak:
    """Return the level of this name. Raises InputError for a name that only a damaged record of a run can hold."""
    if name not in list(Leak):
        raise InputError(f"column config of a run: no leak {name!r}, so the database is damaged; restore a copy")
    return Leak(name)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A predicted edit: the lines `before` at 0-based line `start` of a text as it now is become `after`.

    `before` is empty for an insertion before line `start`. `confidence` ranks the predictions of a step, the highest
    first; without it they are taken in the order in which they are given.
    """

    path: str
    start: int
    before: tuple[str, ...]
    after: tuple[str, ...]
    confidence: float | None = None

    @property
    def span(self) -> Span:
        """The lines that are replaced."""
        return Span(self.start, self.start + len(self.before))


@dataclass(frozen=True, slots=True)
class Place:
    """Where an edit is asked for: `before` are the lines there now, empty for an insertion before line `start`.

    `kind` and `parent`, its lines in the parent commit, are the edit's own, for systems that expect them.
    """

    path: str
    start: int
    before: tuple[str, ...]
    kind: EditKind = EditKind.REPLACE
    parent: Span | None = None


@dataclass(frozen=True, slots=True)
class Made:
    """An edit that was made already, and the lines it now covers."""

    edit: Edit
    now: Span


@dataclass(frozen=True, slots=True)
class EditorSession:
    """A commit under way, as far as the system may know it.

    `message` is None and `files` names no file that is yet to be touched, unless that may be known. `texts` are the
    files that may be shown, as they now are; a file that is not there has no text. `past_edits` are the edits so far,
    in the order in which they were made. `tree` is a folder with the whole tree as it now is, None where there is none.
    `passages` are the parts of the texts that were retrieved, the best first; None where the texts were not.
    """

    case_id: str
    step: int
    past_edits: tuple[Made, ...]
    texts: Mapping[str, str]
    files: tuple[str, ...] = ()
    message: str | None = None
    tree: Path | None = None
    passages: tuple[Passage, ...] | None = None


class Mishap(StrEnum):
    """Why a system has no answer."""

    CRASHED = "crashed"
    TIMEOUT = "timeout"
    NONSENSE = "nonsense"
    OUTSIDE = "outside"

    @property
    def failed(self) -> bool:
        """Whether there was no answer at all, not even a wrong one."""
        return self in {Mishap.CRASHED, Mishap.TIMEOUT}


class EditorError(Exception):
    """The only error an editor may raise: it costs the question its answer, and no more."""

    def __init__(self, reason: Mishap, message: str) -> None:
        """Keep the reason beside the message."""
        super().__init__(message)
        self.reason = reason


@runtime_checkable
class Reporting(Protocol):
    """An editor that may report what an answer of its own took."""

    def take_report(self) -> Mapping[str, float | None] | None:
        """Return the report of the last answer, once; None where there is none, so that nothing of it is known.

        Its fields are those of the wire `reported`, `first_token_ms`, and with that `first_edit_ms`.
        """
        ...


class NextEditor(Protocol):
    """A system under test; made once per commit."""

    async def setup(self, session: EditorSession) -> None:
        """Prepare for a commit whose first edit is made. Raises EditorError."""
        ...

    async def recommend(self, session: EditorSession) -> Sequence[Suggestion]:
        """Where and what comes next, ranked. Raises EditorError."""
        ...

    async def fill(self, session: EditorSession, place: Place) -> Sequence[str] | None:
        """What comes at a given place: the lines that take the place of `place.before`.

        None where there is no answer; what leaves the lines as they are is none either. Raises EditorError.
        """
        ...

    async def aclose(self) -> None:
        """Release what was prepared; called once, whatever happened."""
        ...


def suggestions_between(path: str, old: str, new: str, confidence: float | None = None) -> list[Suggestion]:
    """The edits that lead from one text to another: maximal runs of changed lines along a longest common sequence."""
    from rapidfuzz.distance import Indel

    before, after = split_lines(old), split_lines(new)
    runs: list[list[int]] = []
    for operation in Indel.opcodes(before, after):
        if operation.tag == "equal":
            continue
        bounds = [operation.src_start, operation.src_end, operation.dest_start, operation.dest_end]
        if runs and runs[-1][1] == bounds[0] and runs[-1][3] == bounds[2]:
            runs[-1][1], runs[-1][3] = bounds[1], bounds[3]
        else:
            runs.append(bounds)
    return [Suggestion(path, run[0], before[run[0] : run[1]], after[run[2] : run[3]], confidence) for run in runs]


def is_sound(suggestion: Suggestion, texts: Mapping[str, str]) -> bool:
    """Whether a prediction speaks of lines that are there, and changes them; a file that is not there is empty."""
    lines = split_lines(texts.get(suggestion.path, ""))
    span = suggestion.span
    matches = 0 <= span.start <= len(lines) and lines[span.start : span.end] == suggestion.before
    return matches and suggestion.before != suggestion.after and is_inside(suggestion.path)
