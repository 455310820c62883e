"""A model as a nextedit system: it is shown the commit so far and answers in SEARCH/REPLACE blocks."""

from collections import Counter
from collections.abc import Sequence

from runner.records import Outcome
from runner.run.protocols import Ask
from runner.suites.nextedit.answer_reading import Reading
from runner.suites.nextedit.answers import FILL, RECOMMEND, StepAnswer
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.editor import EditorError, EditorSession, Mishap, Place, Suggestion
from runner.suites.nextedit.prompting import fill_message, recommend_message
from runner.suites.nextedit.state import Situation, State
from runner.suites.nextedit.systems.historian_form import lines_at
from suts.sut import Message, Request

# An answer that is no edit is asked for again, up to this many times for each that is wanted. Where none is an edit and
# the same came twice at temperature 0, all others would be the same.
PATIENCE = 10


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
        self._first = (number - 1) * PATIENCE * reading.valid_attempts
        self.answers: list[StepAnswer] = []

    async def setup(self, session: EditorSession) -> None:
        """Nothing to prepare."""

    async def recommend(self, session: EditorSession) -> Sequence[Suggestion]:
        """The predictions of as many valid answers as are wanted, each prediction once.

        Raises EditorError where no answer is valid.
        """
        answers = await self._answers_to(session, RECOMMEND, recommend_message(session), None)
        return tuple(dict.fromkeys(suggestion for answer in answers for suggestion in answer.suggestions))

    async def fill(self, session: EditorSession, place: Place) -> Sequence[str] | None:
        """What the first valid answer puts in the place, None if it changes another. Raises EditorError without one."""
        answer, *_ = await self._answers_to(session, FILL, fill_message(session, place), place)
        return lines_at(place, answer.suggestions, self._state(session).texts().get(place.path, ""))

    async def aclose(self) -> None:
        """Nothing to release: the code that made the model closes it."""

    def _state(self, session: EditorSession) -> State:
        return State(self._commit, tuple(past_edit.edit.idx for past_edit in session.past_edits))

    async def _answers_to(
        self, session: EditorSession, mode: str, question: str, place: Place | None
    ) -> list[StepAnswer]:
        reading = self._reading
        count = reading.valid_attempts if mode == RECOMMEND else 1
        situation = Situation(self._state(session), place)
        request = Request(reading.system, (Message("user", question),), reading.sampling)
        # A file whose place is given can be edited, even if it is still to be created.
        texts = {**({place.path: ""} if place else {}), **situation.state.texts()}
        valid: list[StepAnswer] = []
        outcomes: list[Outcome] = []
        repeatable: set[str] = set()
        for number in range(1, count * PATIENCE + 1):
            nth = self._first + number
            completion = await self._ask(request, step=session.step, mode=mode, number=nth, about=situation)
            read = await reading.read(completion.text, texts)
            answer = StepAnswer(session.step, mode, completion, read.outcome, read.suggestions, read.trouble)
            self.answers.append(answer)
            outcomes.append(read.outcome)
            if answer.valid:
                valid.append(answer)
            if len(valid) == count or (not valid and completion.text in repeatable):
                break
            if completion.greedy:
                repeatable.add(completion.text)
        if not valid:
            raise EditorError(Mishap.NONSENSE, describe_invalid(outcomes))
        return valid


def describe_invalid(outcomes: Sequence[Outcome]) -> str:
    """Return the report that no answer was valid, and why not."""
    counts = ", ".join(f"{count} {outcome}" for outcome, count in Counter(map(str, outcomes)).most_common())
    return f"no answer of {len(outcomes)} calls for an edit of a file that is there: {counts}"
