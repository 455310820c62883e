"""How far a commit has come: which edits are applied, the texts that gives, and where the other edits now lie."""

from collections.abc import Iterator
from dataclasses import dataclass

from runner.suites.nextedit.commits import Commit, Edit, Span, Touched, split_lines
from runner.suites.nextedit.editor import Place


@dataclass(frozen=True, slots=True)
class State:
    """A commit with some of its edits applied, in the order `applied`."""

    commit: Commit
    applied: tuple[int, ...] = ()

    @property
    def remaining(self) -> tuple[int, ...]:
        """The edits yet to come, ascending."""
        done = set(self.applied)
        return tuple(edit.idx for edit in self.commit.edits if edit.idx not in done)

    def after(self, idx: int) -> "State":
        """The state once edit `idx` is applied too."""
        assert idx in self.remaining
        return State(self.commit, (*self.applied, idx))

    def text(self, path: str) -> str | None:
        """The text of a touched file as it is now; None while it is not there yet, or no more."""
        touched = next(file for file in self.commit.files if file.path == path)
        edits = _edits_of(self.commit, path)
        started = any(edit.idx in self.applied for edit in edits)
        finished = all(edit.idx in self.applied for edit in edits)
        if (touched.before is None and not started) or (touched.after is None and finished):
            return None
        return "".join(self._pieces(touched, edits))

    def texts(self) -> dict[str, str]:
        """The touched files that are there now, in the commit's order."""
        texts = ((touched.path, self.text(touched.path)) for touched in self.commit.files)
        return {path: text for path, text in texts if text is not None}

    def place(self, idx: int) -> Span:
        """The lines that edit `idx` now covers: its `after` if it is applied, else its `before`."""
        edit = self.commit.edits[idx]
        shift = sum(
            len(other.after) - len(other.before)
            for other in _edits_of(self.commit, edit.path)
            if other.idx < idx and other.idx in self.applied
        )
        lines = edit.after if idx in self.applied else edit.before
        start = edit.parent.start + shift
        return Span(start, start + len(lines))

    def _pieces(self, touched: Touched, edits: tuple[Edit, ...]) -> Iterator[str]:
        lines = split_lines(touched.before or "")
        position = 0
        for edit in edits:
            yield from lines[position : edit.parent.start]
            yield from edit.after if edit.idx in self.applied else edit.before
            position = edit.parent.end
        yield from lines[position:]


@dataclass(frozen=True, slots=True)
class Situation:
    """What a question is about: how far the commit has come, and the place at which an edit is asked for, if any."""

    state: State
    place: Place | None = None


def _edits_of(commit: Commit, path: str) -> tuple[Edit, ...]:
    return tuple(edit for edit in commit.edits if edit.path == path)
