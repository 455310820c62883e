"""Retrieval: the parts of a whole project that have most to do with the task and the edits made.

BM25 adds up over words. So a commit's project is ranked once by the task and by each edit, and at every step the
scores of the task and of the last edits made are added; those of edits yet to come stay unused.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from runner.suites.nextedit.commits import Commit, Edit, Span, split_lines
from runner.suites.nextedit.context.ranking import Bm25, Passage, passage_words, passages_of, ranked, words_of
from runner.suites.nextedit.context.trees import Tree, other_texts
from runner.suites.nextedit.editor import EditorSession, Made

# A text counts with so many of its best passages; what ranks lower by every text is never shown.
_BEST = 100
# The last edits made, each of which counts as much as the task.
_LAST_EDITS = 5


@dataclass(frozen=True, slots=True)
class Scores:
    """What the best passages of a project score by the task and by each edit, and the texts of those not touched.

    Windows of touched files are those of the texts before the commit.
    """

    task: Mapping[Passage, float]
    edits: tuple[Mapping[Passage, float], ...]
    texts: Mapping[str, str] = field(default_factory=dict)


def project_scores(commit: Commit, tree: Tree) -> Scores:
    """Rank a whole project by the task and by each edit of a commit; takes a second for 7 MB of text."""
    texts = {touched.path: touched.before for touched in commit.files if touched.before}
    others = other_texts(commit, tree)
    all_texts = {**texts, **others}
    passages = [passage for path, text in all_texts.items() for passage in passages_of(path, text)]
    index = Bm25(passage_words(passage, split_lines(all_texts[passage.path])) for passage in passages)
    task = _best(index, passages, words_of(commit.message))
    edits = tuple(_best(index, passages, words_of(_edit_text(edit))) for edit in commit.edits)
    paths = {passage.path for scores in (task, *edits) for passage in scores}
    return Scores(task, edits, {path: text for path, text in others.items() if path in paths})


def _edit_text(edit: Edit) -> str:
    return " ".join((edit.path, *edit.before, *edit.after))


def _best(index: Bm25, passages: Sequence[Passage], words: Sequence[str]) -> dict[Passage, float]:
    """The best passages by some words, each of which counts once, with their scores."""
    scores = index.scores(dict.fromkeys(words))
    by_window = dict(zip(passages, scores.tolist(), strict=True))
    return {passage: by_window[passage] for passage in ranked(passages, scores)[:_BEST] if by_window[passage] > 0}


def retrieved(session: EditorSession, touched: Mapping[str, str], known: Scores, characters: int) -> EditorSession:
    """Return the session with what is retrieved in place of the files that the commit touches.

    It has the edited files, and those that hold the best passages of at most so many characters together. `touched` are
    the commit's files as they now are: the search finds them, or does not, like all others.
    """
    past_edits = session.past_edits
    total = Counter[Passage](known.task if session.message is not None else {})
    for past_edit in past_edits[-_LAST_EDITS:]:
        total.update(known.edits[past_edit.edit.idx])
    paths = {past_edit.edit.path for past_edit in past_edits if past_edit.edit.path in touched}
    passages: list[Passage] = []
    all_texts = {**known.texts, **touched}
    for passage in sorted(total, key=lambda passage: (-total[passage], passage.path, passage.span.start)):
        text = all_texts.get(passage.path)
        now = _as_now(passage, past_edits, len(split_lines(text))) if text is not None else None
        if now is None or text is None:
            continue
        characters -= sum(map(len, split_lines(text)[now.span.start : now.span.end]))
        if characters < 0:
            break
        passages.append(now)
        paths.add(now.path)
    visible = {path: all_texts[path] for path in sorted(paths)}
    return replace(session, texts=visible, files=tuple(visible), passages=tuple(passages))


def _as_now(passage: Passage, past_edits: Iterable[Made], lines: int) -> Passage | None:
    """A passage of the text before the commit as it lies in the text of now, which has so many lines."""
    here = [past_edit.edit for past_edit in past_edits if past_edit.edit.path == passage.path]
    start, end = (
        at + sum(len(edit.after) - len(edit.before) for edit in here if edit.parent.end <= at)
        for at in (passage.span.start, passage.span.end)
    )
    span = Span(max(0, min(start, lines)), max(0, min(end, lines)))
    return Passage(passage.path, span) if span.start < span.end else None
