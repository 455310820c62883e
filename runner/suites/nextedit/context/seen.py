"""Which edits could be found by what a system saw: those whose places are in view."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, runtime_checkable

from runner.suites.nextedit.context.excerpts import View, whole
from runner.suites.nextedit.editor import EditorSession, NextEditor
from runner.suites.nextedit.matching import LEAST_OVERLAP, NEAR, Target, target_of
from runner.suites.nextedit.state import State

# From what may be known of a commit under way, and how far it has come, to what is seen of it.
Context = Callable[[EditorSession, State], Awaitable[EditorSession]]


@runtime_checkable
class PartialView(Protocol):
    """An editor that shows parts of files to a model."""

    @property
    def view(self) -> View:
        """The lines that the last question for what comes next showed."""
        ...


def edits_in_view(editor: NextEditor, session: EditorSession, state: State, allowed: Sequence[int]) -> tuple[int, ...]:
    """Return the allowed edits whose places an editor saw: those that it showed to a model, or else whole files."""
    view = editor.view if isinstance(editor, PartialView) else whole(session.texts)
    return tuple(idx for idx in allowed if is_in_view(target_of(state, idx), state, view))


def is_in_view(target: Target, state: State, view: View) -> bool:
    """Return whether the place of an edit is in view.

    Half of the lines that it replaces are, as many as a prediction has to hit; or a line next to an insertion. Of a
    file that is deleted the name is enough, and what creates a file has no place to be seen.
    """
    text = state.text(target.path)
    if text is None:
        return True
    spans = view.get(target.path)
    if spans is None:
        return False
    if not target.before:
        near = range(target.start - NEAR, target.start + NEAR)
        return not text or any(span.start <= line < span.end for span in spans for line in near)
    if "".join(target.before) == text and not target.after:
        return True
    lines = sum(max(0, min(span.end, target.span.end) - max(span.start, target.start)) for span in spans)
    return lines >= LEAST_OVERLAP * len(target.before)
