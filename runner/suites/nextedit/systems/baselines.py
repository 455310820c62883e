"""Systems that bound the scores: one that knows the commit, one that says nothing, two that do not look far."""

from collections.abc import Iterator, Sequence
from random import Random

from runner.suites.nextedit.commits import Commit, split_lines
from runner.suites.nextedit.editor import EditorSession, Made, Place, Suggestion
from runner.suites.nextedit.orders import Order, allowed_next
from runner.suites.nextedit.state import State

_SURE = 1.0


class Resting:
    """The parts of an editor that has nothing to prepare and nothing to release."""

    async def setup(self, session: EditorSession) -> None:
        """Nothing to prepare."""

    async def aclose(self) -> None:
        """Nothing to release."""


class Silent(Resting):
    """Never predicts anything: the lower bound."""

    async def recommend(self, session: EditorSession) -> Sequence[Suggestion]:  # noqa: ARG002 - the Protocol names it
        """No prediction."""
        return ()

    async def fill(self, session: EditorSession, place: Place) -> Sequence[str] | None:
        """No answer."""


class Oracle(Resting):
    """Predicts exactly the edits that are allowed, at every step: the upper bound, 100 % by construction."""

    def __init__(self, commit: Commit, order: Order) -> None:
        """Take the commit and the order in which it is replayed."""
        self._commit = commit
        self._order = order

    async def recommend(self, session: EditorSession) -> Sequence[Suggestion]:
        """Every edit allowed now."""
        state = State(self._commit, tuple(past_edit.edit.idx for past_edit in session.past_edits))
        edits = (self._commit.edits[idx] for idx in allowed_next(self._order, state))
        return [Suggestion(edit.path, state.place(edit.idx).start, edit.before, edit.after, _SURE) for edit in edits]

    async def fill(self, session: EditorSession, place: Place) -> Sequence[str] | None:
        """What the commit puts there."""
        state = State(self._commit, tuple(past_edit.edit.idx for past_edit in session.past_edits))
        for idx in state.remaining:
            edit = self._commit.edits[idx]
            if (edit.path, state.place(idx).start, edit.before) == (place.path, place.start, place.before):
                return edit.after
        return None


class RepeatLast(Resting):
    """Makes the last edit again wherever the lines it replaced, or the line it was inserted below, stand."""

    async def recommend(self, session: EditorSession) -> Sequence[Suggestion]:
        """The last edit at every like place, in the order of the files."""
        return list(_repetitions(session.past_edits[-1], session))

    async def fill(self, session: EditorSession, place: Place) -> Sequence[str]:  # noqa: ARG002 - the Protocol names it
        """What the last edit put in."""
        return session.past_edits[-1].edit.after


def _repetitions(last: Made, session: EditorSession) -> Iterator[Suggestion]:
    edit = last.edit
    key = edit.before or edit.prefix[-1:]
    if not any(line.strip() for line in key):
        return
    for path, text in session.texts.items():
        lines = split_lines(text)
        for start in range(len(lines) - len(key) + 1):
            if lines[start : start + len(key)] != key or (path, start + len(key)) == (edit.path, last.now.start):
                continue
            if edit.before:
                yield Suggestion(path, start, edit.before, edit.after)
            else:
                yield Suggestion(path, start + len(key), (), edit.after)


class RandomPlace(Resting):
    """Replaces a line drawn from all files by what the last edit put in."""

    def __init__(self, seed: str) -> None:
        """Take the seed of the draws, which every step begins again: what is drawn does not hang on what was asked."""
        self._seed = seed

    async def recommend(self, session: EditorSession) -> Sequence[Suggestion]:
        """One replacement."""
        places = [(path, at, line) for path, text in session.texts.items() for at, line in enumerate(split_lines(text))]
        if not places:
            return ()
        path, at, line = Random(f"{self._seed}:{session.step}").choice(places)
        after = session.past_edits[-1].edit.after
        return [Suggestion(path, at, (line,), after)] if after != (line,) else []

    async def fill(self, session: EditorSession, place: Place) -> Sequence[str]:  # noqa: ARG002 - the Protocol names it
        """What the last edit put in."""
        return session.past_edits[-1].edit.after
