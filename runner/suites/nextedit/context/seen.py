"""Which edits could be found by what a system saw: those whose places are in view."""

from typing import Protocol, runtime_checkable

from runner.suites.nextedit.context.excerpts import View
from runner.suites.nextedit.matching import LEAST_OVERLAP, NEAR, Target
from runner.suites.nextedit.state import State


@runtime_checkable
class Showing(Protocol):
    """An editor that shows parts of files to whoever answers."""

    @property
    def view(self) -> View:
        """The lines that the last question for what comes next showed."""
        ...


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
    shown = sum(max(0, min(span.end, target.span.end) - max(span.start, target.start)) for span in spans)
    return shown >= LEAST_OVERLAP * len(target.before)
