"""A system of one's own: it is asked in the form of `own_form`, in a process of its own or over HTTP."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.editor import EditorError, EditorSession, Mishap, Place, Suggestion
from runner.suites.nextedit.systems.historian_form import with_ends_of
from runner.suites.nextedit.systems.module_report import checked_report
from runner.suites.nextedit.systems.own_form import Answer, Ask, Question, edits_of, lines_of, question_of

# A system that had no answer in time so often in a row is not asked any more: the commit would take hours.
_PATIENCE = 3
_REPORT = "report"


class Transport(Protocol):
    """How questions reach a system."""

    @property
    def begun(self) -> bool:
        """Whether a system that got `begin` is still there."""
        ...

    async def answer_to(self, question: Question, session: EditorSession) -> object:
        """The answer, of any form. Raises EditorError."""
        ...

    async def aclose(self, farewell: Question | None) -> None:
        """Send a farewell if there is one, and a system that hears it, and release what was opened. Raises nothing."""
        ...


class OwnSystem:
    """An editor that asks a system of one's own; a question that it fails costs that question."""

    def __init__(self, transport: Transport, commit: Commit) -> None:
        """Take how it is asked, and the commit."""
        self._transport = transport
        self._commit = commit
        self._late = 0
        self._last: Question | None = None
        self._report: Mapping[str, float | None] | None = None

    def take_report(self) -> Mapping[str, float | None] | None:
        """Return what the system reported of its last answer, once; None where it reported nothing."""
        report, self._report = self._report, None
        return report

    async def setup(self, session: EditorSession) -> None:
        """Send `begin`. Raises EditorError."""
        await self._ask("begin", session)

    async def recommend(self, session: EditorSession) -> Sequence[Suggestion]:
        """Send `next`, and return the predictions. Raises EditorError."""
        edits = edits_of(await self._ask_begun("next", session))
        return [with_ends_of(session.texts.get(edit.path, ""), edit) for edit in edits]

    async def fill(self, session: EditorSession, place: Place) -> Sequence[str] | None:
        """Send `content`, and return the lines. Raises EditorError."""
        return lines_of(await self._ask_begun("content", session, place))

    async def aclose(self) -> None:
        """Send `end`, and release the transport."""
        farewell: Question | None = None if self._last is None else {**self._last, "ask": "end", "place": None}
        await self._transport.aclose(farewell)

    async def _ask_begun(self, ask: Ask, session: EditorSession, place: Place | None = None) -> Answer:
        """Ask a system that got `begin`; one that ended since gets it again."""
        if not self._transport.begun:
            await self._ask("begin", session)
        return await self._ask(ask, session, place)

    async def _ask(self, ask: Ask, session: EditorSession, place: Place | None = None) -> Answer:
        if self._late >= _PATIENCE:
            raise EditorError(Mishap.TIMEOUT, f"not asked: {_PATIENCE} times in a row it had no answer in time")
        question = question_of(ask, self._commit, session, place)
        self._last = question
        try:
            answer = await self._transport.answer_to(question, session)
        except EditorError as error:
            self._late += error.reason is Mishap.TIMEOUT
            raise
        # A system that has nothing to prepare may hang at the questions all the same.
        self._late = self._late if ask == "begin" else 0
        return self._checked(ask, answer)

    def _checked(self, ask: Ask, answer: object) -> Answer:
        """The answer as an object, its report taken out. Raises EditorError."""
        if answer is None and ask == "begin":
            return {}
        if not isinstance(answer, dict):
            raise EditorError(Mishap.NONSENSE, f"answer to {ask}: it is a {type(answer).__name__}; give an object")
        if answer.get(_REPORT) is not None:
            self._report = checked_report(answer[_REPORT], _REPORT)
        return answer
