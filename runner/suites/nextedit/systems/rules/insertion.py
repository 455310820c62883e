"""Insertions that repeat: the same lines between like neighbours, or a sibling wherever its sibling stands."""

import re
from collections.abc import Iterator, Sequence

from runner.suites.nextedit.editor import EditorSession, Made, Suggestion
from runner.suites.nextedit.systems.rules.analogy import change_line, segments_of, transfer
from runner.suites.nextedit.systems.rules.places import Text, texts_of

_WORD = re.compile(r"\w+")
_NEIGHBOURS = 80.0
_FEW_LINES = 3


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


def siblings(past_edit: Made, session: EditorSession) -> Iterator[Suggestion]:
    """A line for the new name beside every line of the name it was put beside.

    Where `b,` was inserted next to `a,`, a line `a: 1,` elsewhere gets a line `b: 1,` on the same side.
    """
    edit = past_edit.edit
    if edit.before or len(edit.after) > _FEW_LINES:
        return
    new = next((line for line in edit.after if line.strip()), "")
    for neighbour, offset in ((edit.prefix[-1:], 1), (edit.suffix[:1], 0)):
        exchange = _new_name(neighbour, new)
        if exchange:
            for text in texts_of(session):
                yield from _beside(text, exchange, offset, past_edit)


def _new_name(neighbour: Sequence[str], new: str) -> tuple[str, str] | None:
    """The one name of the neighbouring line that the new line has another name for."""
    if not neighbour:
        return None
    pairs = {(segment.removed, segment.added) for segment in segments_of(neighbour[0], new)}
    if len(pairs) != 1:
        return None
    removed, added = pairs.pop()
    if len(removed) != 1 or len(added) != 1 or not (_WORD.fullmatch(removed[0]) and _WORD.fullmatch(added[0])):
        return None
    return removed[0], added[0]


def _beside(text: Text, exchange: tuple[str, str], offset: int, past_edit: Made) -> Iterator[Suggestion]:
    from rapidfuzz.fuzz import ratio

    old, new = exchange
    segments = segments_of(old, new)
    present = {at for at, line in enumerate(text.lines) if new in _WORD.findall(line)}
    for at, line in enumerate(text.lines):
        beside = (text.path, at + offset) == (past_edit.edit.path, past_edit.now.start)
        if at in text.edited_lines or beside or present & {at - 1, at, at + 1} or old not in _WORD.findall(line):
            continue
        changed = change_line(line, segments)
        if changed is not None:
            similarity = ratio("".join(past_edit.edit.after).strip(), changed.line.strip()) / 100
            yield Suggestion(text.path, at + offset, (), (changed.line,), 0.5 + similarity / 4)
