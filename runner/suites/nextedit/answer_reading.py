"""From an answer's text to the edits that it predicts: in this process, or in a worker process if that takes long."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from diff_apply.result import DiffAlgorithm
from parsers.blocks import Parser, ToolCall
from runner.pool.executor import Executor, WorkerError, computed
from runner.records import Outcome
from runner.run.answer_scoring import SCORED_AT_ONCE, are_registered, chosen_by_name, run_sized
from runner.run.complexity import TooComplexError, check_answer, check_calls
from runner.suites.nextedit.answer_calls import END_TOOL, file_commands, is_edit, read_call
from runner.suites.nextedit.editor import Suggestion
from runner.suites.nextedit.folder_question import FOLDER_PROMPT
from runner.suites.nextedit.folder_reading import read_folder
from runner.suites.nextedit.questions import MOST_CHARACTERS, NOTHING_MORE, Wording
from runner.suites.nextedit.sent_texts import as_kept, as_sent
from runner.variant import AGENT_READING
from suts.sut import Sampling


@dataclass(frozen=True, slots=True)
class AnswerRead:
    """What an answer predicts; `trouble` says why a worker process could not read it."""

    outcome: Outcome
    suggestions: tuple[Suggestion, ...] = ()
    trouble: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """How answers are asked for and read: the system prompt, the sampling, a parser and an algorithm.

    `valid_attempts` answers are asked for at each step; prompts have at most `characters` besides the system prompt,
    and are worded by `wording`, without which nobody can be asked.
    Without a parser, answers are those of coding agents: what differs in the folder in which they worked.
    `names` are those of the parser and the algorithm, by which a worker process of the pool finds them. Without a pool,
    all answers are read in this process.
    """

    system: str
    parser: Parser | None
    algorithm: DiffAlgorithm | None
    sampling: Sampling = field(default_factory=Sampling)
    valid_attempts: int = 1
    names: tuple[str, str] = ("", "")
    characters: int = MOST_CHARACTERS
    pool: Executor | None = None
    wording: Wording | None = None

    @property
    def in_folder(self) -> bool:
        """Whether those who are asked work in a folder."""
        return self.parser is None

    async def read(self, text: str, texts: Mapping[str, str]) -> AnswerRead:
        """Read an answer while the event loop goes on."""
        if self.in_folder:
            longest = max(map(len, texts.values()), default=0)
            return AnswerRead(*await run_sized(self.pool, len(text) + longest, read_folder, text, texts))
        if self.pool is None or self._at_once(text, texts):
            return AnswerRead(*read_answer(text, texts, self))
        try:
            return AnswerRead(*await computed(self.pool, read_by_name, text, texts, self.names))
        except WorkerError as error:
            return _crashed(error)

    def _at_once(self, text: str, texts: Mapping[str, str]) -> bool:
        """Return whether reading takes little time; that of a plug-in is not known."""
        parser, algorithm = self.names
        longest = max(map(len, texts.values()), default=0)
        return are_registered(parser, (algorithm,)) and len(text) + longest <= SCORED_AT_ONCE


def folder_reading(
    sampling: Sampling | None = None, valid_attempts: int = 1, wording: Wording | None = None
) -> Reading:
    """Return the reading of coding agents' answers."""
    return Reading(
        FOLDER_PROMPT.wording, None, None, sampling or Sampling(), valid_attempts, (AGENT_READING, ""), wording=wording
    )


def _crashed(error: WorkerError) -> AnswerRead:
    return AnswerRead(Outcome.CRASHED, trouble=f"reading in another process gave no result: {error}")


def read_by_name(text: str, texts: Mapping[str, str], names: tuple[str, str]) -> tuple[Outcome, tuple[Suggestion, ...]]:
    """Read an answer by the parser and the algorithm of these names, which the user has given."""
    parser, algorithm = names
    chosen, impls = chosen_by_name(parser, (algorithm,))
    return read_answer(text, texts, Reading("", chosen, impls[algorithm]))


def read_answer(text: str, texts: Mapping[str, str], reading: Reading) -> tuple[Outcome, tuple[Suggestion, ...]]:
    """What an answer predicts: the edits of its calls in their order, each on the texts as they now are.

    The outcome is that of the best call: applied, refused with a reason, or no call that could be. An answer without a
    call for an edit may state that nothing is left to do, by these words or the tool that ends a task. One that takes
    more work than `complexity` allows is `too_complex` and predicts nothing. The texts are read as they were sent.
    """
    outcome, suggestions = _read_sent(text, as_sent(texts), reading)
    return outcome, as_kept(suggestions, texts)


def _read_sent(text: str, texts: Mapping[str, str], reading: Reading) -> tuple[Outcome, tuple[Suggestion, ...]]:
    assert reading.parser is not None
    try:
        check_answer(text)
        calls = [block for block in reading.parser.parse(text) if isinstance(block, ToolCall)]
        edits = [call for call in calls if is_edit(call)]
        if edits:
            return _read_edits(edits, texts, reading)
    except TooComplexError:
        return Outcome.TOO_COMPLEX, ()
    if any(call.name == END_TOOL for call in calls) or (not calls and NOTHING_MORE in text.lower()):
        return Outcome.NOTHING_MORE, ()
    return Outcome.OTHER_TOOL if calls else Outcome.NO_CALL, ()


def _read_edits(
    edits: Sequence[ToolCall], texts: Mapping[str, str], reading: Reading
) -> tuple[Outcome, tuple[Suggestion, ...]]:
    assert reading.algorithm is not None
    commands = sum(len(file_commands(call.params.get("command", ""))) for call in edits)
    check_calls(len(edits) + commands, max(texts.values(), key=len, default=""))
    outcomes: list[Outcome] = []
    suggestions: dict[Suggestion, None] = {}
    for call in edits:
        outcome, new = read_call(call, texts, reading.algorithm)
        outcomes.append(outcome)
        suggestions |= dict.fromkeys(new)
    order = (Outcome.APPLIED, Outcome.APPLIED_NOTHING)
    first = next((outcome for outcome in order if outcome in outcomes), None)
    return first or next((outcome for outcome in outcomes if outcome.valid), outcomes[0]), tuple(suggestions)
