"""A model as a nextedit system: it is shown the commit so far and answers in SEARCH/REPLACE blocks."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from runner.agents.tree_difference import texts_in
from runner.records import Outcome
from runner.run.answer_scoring import run_sized
from runner.run.protocols import Ask
from runner.suites.nextedit.answer_reading import Reading
from runner.suites.nextedit.answers import FILL, RECOMMEND, StepAnswer
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.context.excerpts import View
from runner.suites.nextedit.editor import EditorError, EditorSession, Mishap, Place, Suggestion, is_sound
from runner.suites.nextedit.questions import StepQuestion
from runner.suites.nextedit.state import Situation, State
from runner.suites.nextedit.systems.historian_form import lines_at
from suts.agent_parts import WorkingFolder
from suts.sut import Message, Request


class PromptedEditor:
    """An editor that asks a model; what was asked and answered is in `answers`.

    Raises SutError where there is no answer to be had: that is the run's affair, not a step's.
    """

    def __init__(self, ask: Ask, reading: Reading, commit: Commit, number: int = 1) -> None:
        """Take who is asked, how answers are read, the commit that they are about, and the attempt's number.

        Answers are read on all files of the commit, whether they are shown or not.
        """
        self._ask = ask
        self._reading = reading
        self._commit = commit
        self._first = (number - 1) * reading.valid_attempts
        self.answers: list[StepAnswer] = []
        self.view: View = {}

    async def setup(self, session: EditorSession) -> None:
        """Nothing to prepare."""

    async def recommend(self, session: EditorSession) -> Sequence[Suggestion]:
        """The predictions of as many answers as are wanted, each prediction once; no question is asked again.

        Raises EditorError where no answer is valid.
        """
        question = await self._question(session, None)
        self.view = question.view
        answers = await self._answers_to(session, RECOMMEND, question.text, None)
        return tuple(dict.fromkeys(suggestion for answer in answers for suggestion in answer.suggestions))

    async def fill(self, session: EditorSession, place: Place) -> Sequence[str] | None:
        """What the answer puts in the place, None if it changes another. Raises EditorError if it is not valid."""
        question = await self._question(session, place)
        (answer,) = await self._answers_to(session, FILL, question.text, place)
        return lines_given(place, answer.suggestions, self._state(session).texts().get(place.path, ""))

    async def aclose(self) -> None:
        """Nothing to release: the code that made the model closes it."""

    async def _question(self, session: EditorSession, place: Place | None) -> StepQuestion:
        """What is asked; parts of large files are chosen in a worker process."""
        reading = self._reading
        if reading.wording is None:
            # The answers are on record, by step and mode.
            return StepQuestion("")
        size = sum(map(len, session.texts.values()))
        ranked = size > reading.characters and session.passages is None
        plain = replace(session, tree=None)
        return await run_sized(reading.pool, size if ranked else 0, reading.wording, plain, place, reading.characters)

    async def _folder(self, session: EditorSession, mode: str) -> WorkingFolder | None:
        """Return the tree as it now is; None where there is none, because the answers are on record."""
        if session.tree is None:
            return None
        return WorkingFolder(await asyncio.to_thread(texts_in, session.tree), f"{session.case_id}:{mode}", session.step)

    def _state(self, session: EditorSession) -> State:
        return State(self._commit, tuple(past_edit.edit.idx for past_edit in session.past_edits))

    async def _answers_to(
        self, session: EditorSession, mode: str, question: str, place: Place | None
    ) -> list[StepAnswer]:
        reading = self._reading
        count = reading.valid_attempts if mode == RECOMMEND else 1
        situation = Situation(self._state(session), place)
        folder = await self._folder(session, mode) if reading.in_folder else None
        request = Request(reading.system, (Message("user", question),), reading.sampling, folder=folder)
        # A file whose place is given can be edited, even if it is still to be created.
        texts = {**({place.path: ""} if place else {}), **situation.state.texts()}
        answers: list[StepAnswer] = []
        for number in range(1, count + 1):
            nth = self._first + number
            completion = await self._ask(request, step=session.step, mode=mode, number=nth, about=situation)
            read = await reading.read(completion.text, texts)
            answers.append(StepAnswer(session.step, mode, completion, read.outcome, read.suggestions, read.trouble))
            self.answers.append(answers[-1])
        valid = [answer for answer in answers if answer.valid]
        if not valid:
            raise EditorError(Mishap.NONSENSE, describe_invalid([answer.outcome for answer in answers]))
        return valid


def describe_invalid(outcomes: Sequence[Outcome]) -> str:
    """Return the report that no answer was valid, and why not."""
    counts = ", ".join(f"{count} {outcome}" for outcome, count in Counter(map(str, outcomes)).most_common())
    return f"no answer of {len(outcomes)} calls for an edit, or states that nothing is left to do: {counts}"


def lines_given(place: Place, suggestions: Sequence[Suggestion], text: str) -> tuple[str, ...] | None:
    """Return what the predictions that can be made put in a place; None where none touches it."""
    texts = {place.path: text}
    return lines_at(place, [suggestion for suggestion in suggestions if is_sound(suggestion, texts)], text)
