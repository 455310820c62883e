"""Insertions that repeat: the same lines between like neighbours."""

from collections.abc import Iterator

from runner.suites.nextedit.editor import EditorSession, Made, Suggestion
from runner.suites.nextedit.systems.rules.analogy import transfer
from runner.suites.nextedit.systems.rules.places import texts_of

_NEIGHBOURS = 80.0


def repeated_insertions(past_edit: Made, session: EditorSession) -> Iterator[Suggestion]:
    """Yield the inserted lines wherever both neighbours are alike; `confidence` is the similarity."""
    from rapidfuzz.fuzz import ratio

    edit = past_edit.edit
    if edit.before or not (edit.prefix and edit.suffix):
        return
    above, below = edit.prefix[-1], edit.suffix[0]
    if not above.strip() or not below.strip():
        return
    for text in texts_of(session):
        for at in range(1, len(text.lines)):
            if text.edited_lines & {at - 1, at}:
                continue
            similarity = min(
                ratio(above.strip(), text.lines[at - 1].strip(), score_cutoff=_NEIGHBOURS),
                ratio(below.strip(), text.lines[at].strip(), score_cutoff=_NEIGHBOURS),
            )
            if similarity:
                after = transfer(edit.after, (above, below), text.lines[at - 1 : at + 1])
                yield Suggestion(text.path, at, (), after, similarity / 100)
