"""Lines like those an edit replaced, to be replaced the same way: the clone rule of CoEdPilot and TRACE."""

from collections.abc import Iterator

from runner.suites.nextedit.editor import EditorSession, Made, Suggestion
from runner.suites.nextedit.systems.rules.analogy import transfer
from runner.suites.nextedit.systems.rules.places import Text, texts_of

LEAST_RATIO = 80.0
_LEAST_LENGTH = 6


def clones(past_edit: Made, session: EditorSession) -> Iterator[Suggestion]:
    """Yield every untouched run of lines like those that the edit replaced; `confidence` is the similarity."""
    edit = past_edit.edit
    if len("".join(edit.before).strip()) < _LEAST_LENGTH:
        return
    for text in texts_of(session):
        yield from _clones_in(text, edit.before, edit.after)


def _clones_in(text: Text, before: tuple[str, ...], after: tuple[str, ...]) -> Iterator[Suggestion]:
    from rapidfuzz.fuzz import ratio

    pattern = "".join(before).strip()
    size = len(before)
    start = 0
    while start + size <= len(text.lines):
        window = text.lines[start : start + size]
        similarity = ratio(pattern, "".join(window).strip(), score_cutoff=LEAST_RATIO)
        if similarity and text.untouched(start, start + size):
            yield Suggestion(text.path, start, window, transfer(after, before, window), similarity / 100)
            start += size
        else:
            start += 1
