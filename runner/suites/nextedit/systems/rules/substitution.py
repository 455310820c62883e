"""Lines on which the change of an edit can be made as well: renames, and every change that repeats token by token."""

import re
from collections.abc import Iterator, Sequence

from runner.suites.nextedit.editor import EditorSession, Made, Suggestion
from runner.suites.nextedit.systems.rules.analogy import (
    Segment,
    change_line,
    is_solid,
    paired_lines,
    segments_of,
)
from runner.suites.nextedit.systems.rules.places import Text, texts_of

_NAME = re.compile(r"[^\W\d]\w*")
_KEYWORDS = "def|class|func|function|const|let|var|static|final|type|interface|enum"
_RENAMED = 0.95


def substitutions(past_edit: Made, session: EditorSession) -> Iterator[Suggestion]:
    """Every untouched line that takes one of the edit's changes but for renames; neighbouring lines are one edit.

    `confidence` is higher where more of the line agrees.
    """
    for old, segments in _changes(past_edit):
        if not _is_rename(old, segments):
            for text in texts_of(session):
                yield from _in_text(text, old, segments, 0.0)


def renames(past_edit: Made, session: EditorSession) -> Iterator[Suggestion]:
    """Every untouched line with a name that the edit gave another where it is defined."""
    for old, segments in _changes(past_edit):
        if _is_rename(old, segments):
            for text in texts_of(session):
                yield from _in_text(text, old, segments, _RENAMED)


def _changes(past_edit: Made) -> Iterator[tuple[str, tuple[Segment, ...]]]:
    """The lines that an edit changed, each with how."""
    for old, new in paired_lines(past_edit.edit.before, past_edit.edit.after):
        segments = segments_of(old, new)
        if any(is_solid((*segment.removed, *segment.added)) for segment in segments):
            yield old, segments


def _is_rename(old: str, segments: Sequence[Segment]) -> bool:
    """Whether the line defines a name that the change replaces by another."""
    pairs = {(segment.removed, segment.added) for segment in segments}
    if len(pairs) != 1:
        return False
    removed, added = pairs.pop()
    if len(removed) != 1 or len(added) != 1 or not (_NAME.fullmatch(removed[0]) and _NAME.fullmatch(added[0])):
        return False
    return _defines(old, removed[0])


def _defines(line: str, name: str) -> bool:
    """Whether a line defines a name: it stands behind a keyword, before what is in parentheses or assigned."""
    behind_keyword = rf"\b(?:{_KEYWORDS})\b(?:\s*\([^)]*\))?[^(=]*\b{name}\b"
    return re.search(rf"{behind_keyword}|^\s*{name}\s*=[^=]", line) is not None


def _in_text(text: Text, old: str, segments: Sequence[Segment], floor: float) -> Iterator[Suggestion]:
    from rapidfuzz.fuzz import ratio

    needle = _needle(segments)
    run: list[tuple[int, str, float]] = []
    for at, line in enumerate(text.lines):
        changed = change_line(line, segments) if needle in line and at not in text.edited_lines else None
        if changed is None:
            yield from _together(text, run)
            run = []
            continue
        similarity = ratio(old.strip(), line.strip()) / 100
        run.append((at, changed.line, max(floor, (changed.agreement + similarity) / 2)))
    yield from _together(text, run)


def _together(text: Text, run: Sequence[tuple[int, str, float]]) -> Iterator[Suggestion]:
    if run:
        start = run[0][0]
        before = text.lines[start : start + len(run)]
        after = tuple(line for _, line, _ in run)
        yield Suggestion(text.path, start, before, after, max(confidence for _, _, confidence in run))


def _needle(segments: Sequence[Segment]) -> str:
    """A token that every fitting line has: the longest taken out, or else of the surroundings."""
    removed = [token for segment in segments for token in segment.removed if not token.isspace()]
    around = [token for segment in segments for token in (*segment.left[:1], *segment.right[:1])]
    return max(removed or around, key=len, default="")
