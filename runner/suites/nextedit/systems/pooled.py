"""Editors that compute long: their answers come from worker processes, so that no stream of a model waits for them."""

import asyncio
from collections.abc import Sequence

from runner.pool.executor import Executor, WorkerError, computed
from runner.run.answer_scoring import SCORED_AT_ONCE
from runner.suites.nextedit.editor import EditorError, EditorSession, Mishap, NextEditor, Place, Suggestion
from runner.suites.nextedit.systems.baselines import Resting


class Pooled(Resting):
    """An editor without a state of its own, in worker processes where the files are large."""

    def __init__(self, editor: NextEditor, pool: Executor | None) -> None:
        """Take the editor, which can be pickled; without a pool it answers in this process."""
        self._editor = editor
        self._pool = pool

    async def recommend(self, session: EditorSession) -> Sequence[Suggestion]:
        """The editor's predictions. Raises EditorError where a process gave no result."""
        if self._pool is None or _is_small(session):
            return await self._editor.recommend(session)
        try:
            return await computed(self._pool, recommended, self._editor, session)
        except WorkerError as error:
            raise EditorError(Mishap.CRASHED, str(error)) from error

    async def fill(self, session: EditorSession, place: Place) -> Sequence[str] | None:
        """The editor's answer for a place. Raises EditorError where a process gave no result."""
        if self._pool is None or _is_small(session):
            return await self._editor.fill(session, place)
        try:
            return await computed(self._pool, filled, self._editor, session, place)
        except WorkerError as error:
            raise EditorError(Mishap.CRASHED, str(error)) from error


def _is_small(session: EditorSession) -> bool:
    return sum(map(len, session.texts.values())) <= SCORED_AT_ONCE


def recommended(editor: NextEditor, session: EditorSession) -> Sequence[Suggestion]:
    """Return an editor's predictions; in a process without an event loop."""
    return asyncio.run(editor.recommend(session))


def filled(editor: NextEditor, session: EditorSession, place: Place) -> Sequence[str] | None:
    """Return an editor's answer for a place; in a process without an event loop."""
    return asyncio.run(editor.fill(session, place))
