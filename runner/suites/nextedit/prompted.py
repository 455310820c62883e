"""A model as a nextedit system: it is shown the commit so far and answers in SEARCH/REPLACE blocks."""

import posixpath
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from diff_apply.result import DiffAlgorithm, DiffError, Reason
from parsers.blocks import Parser, ToolCall
from runner.records import Outcome
from runner.run.protocols import Ask
from runner.suites.nextedit.answers import FILL, RECOMMEND, StepAnswer
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.editor import EditorError, EditorSession, Mishap, Place, Suggestion, suggestions_between
from runner.suites.nextedit.prompting import fill_message, recommend_message
from runner.suites.nextedit.state import Situation, State
from runner.suites.nextedit.systems.historian_form import lines_at
from suts.sut import Message, Request, Sampling

EDIT_TOOL = "replace_in_file"
# An answer that is no edit is asked for again, up to this many times for each that is wanted.
PATIENCE = 10

_REFUSED = {Reason.NO_MATCH: Outcome.NO_MATCH, Reason.AMBIGUOUS: Outcome.AMBIGUOUS}


@dataclass(frozen=True, slots=True)
class Reading:
    """How answers are asked for and read: the system prompt, the sampling, a parser and an algorithm."""

    system: str
    parser: Parser
    algorithm: DiffAlgorithm
    sampling: Sampling = field(default_factory=Sampling)
    valid_attempts: int = 1


def read_answer(text: str, texts: Mapping[str, str], reading: Reading) -> tuple[Outcome, tuple[Suggestion, ...]]:
    """What an answer predicts: the edits of its calls in their order, each on the texts as they now are.

    The outcome is that of the best call: applied, refused with a reason, or no call that could be.
    """
    calls = [block for block in reading.parser.parse(text) if isinstance(block, ToolCall)]
    if not calls:
        return Outcome.NO_CALL, ()
    edits = [call for call in calls if call.name == EDIT_TOOL]
    if not edits:
        return Outcome.OTHER_TOOL, ()
    outcomes: list[Outcome] = []
    suggestions: list[Suggestion] = []
    for call in edits:
        outcome, new = _read_call(call, texts, reading.algorithm)
        outcomes.append(outcome)
        suggestions += (suggestion for suggestion in new if suggestion not in suggestions)
    order = (Outcome.APPLIED, Outcome.APPLIED_NOTHING)
    first = next((outcome for outcome in order if outcome in outcomes), None)
    return first or next((outcome for outcome in outcomes if outcome.valid), outcomes[0]), tuple(suggestions)


def _read_call(
    call: ToolCall, texts: Mapping[str, str], algorithm: DiffAlgorithm
) -> tuple[Outcome, Sequence[Suggestion]]:
    path, diff = call.params.get("path", ""), call.params.get("diff", "")
    if not path:
        return Outcome.MISSING_PATH, ()
    known = next((text for text in texts if posixpath.normpath(path).removeprefix("/") == text), None)
    if known is None:
        return Outcome.WRONG_PATH, ()
    if not diff:
        return Outcome.TRUNCATED if call.partial else Outcome.MISSING_DIFF, ()
    try:
        edited = algorithm(texts[known], diff).text
    except DiffError as error:
        return _REFUSED.get(error.reason, Outcome.MALFORMED_DIFF), ()
    suggestions = suggestions_between(known, texts[known], edited)
    return Outcome.APPLIED if suggestions else Outcome.APPLIED_NOTHING, suggestions


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
        for number in range(1, count * PATIENCE + 1):
            nth = self._first + number
            completion = await self._ask(request, step=session.step, mode=mode, number=nth, about=situation)
            outcome, suggestions = read_answer(completion.text, texts, reading)
            answer = StepAnswer(session.step, mode, completion, outcome, suggestions)
            self.answers.append(answer)
            outcomes.append(outcome)
            if answer.valid:
                valid.append(answer)
            if len(valid) == count:
                break
        if not valid:
            raise EditorError(Mishap.NONSENSE, describe_invalid(outcomes))
        return valid


def describe_invalid(outcomes: Sequence[Outcome]) -> str:
    """Return the report that no answer was valid, and why not."""
    counts = ", ".join(f"{count} {outcome}" for outcome, count in Counter(map(str, outcomes)).most_common())
    return f"no answer of {len(outcomes)} calls for an edit of a file that is there: {counts}"
