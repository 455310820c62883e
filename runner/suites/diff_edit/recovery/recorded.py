"""Further turns found on record, for a replay: it goes on while it would have sent back what was sent."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from runner.edit_tools.tool import EditTool
from runner.json_texts import stored_json
from runner.records import REPAIR, Completion, Scoring
from runner.report.turns import further_turns
from runner.run.suite import StoredAnswer
from runner.storage.store import Row, Store
from runner.suites.diff_edit.cases import DiffEditCase
from runner.suites.diff_edit.foreign_scoring import ScoresAnswers
from runner.suites.diff_edit.recovery.following import FollowUp, followed
from runner.suites.diff_edit.recovery.refusals import headed, replying

Attempted = tuple[str, str, int]
"""The system, the prompt and the number of an attempt at a case."""

_REQUEST = "SELECT request_id FROM answers WHERE answer_id = ?"


def attempted(answer: StoredAnswer) -> Attempted:
    """Return which attempt an answer belongs to."""
    return answer.sut, answer.prompt, answer.number


def follow_ups(answers: Iterable[StoredAnswer]) -> dict[Attempted, dict[int, StoredAnswer]]:
    """Return the answers of further turns among those of a case, by attempt, then by the number of the turn."""
    turns: dict[Attempted, dict[int, StoredAnswer]] = {}
    for answer in answers:
        if answer.mode == REPAIR:
            turns.setdefault(attempted(answer), {})[answer.step] = answer
    return turns


@dataclass(frozen=True, slots=True)
class RecordedTurns:
    """How the further turns of a run's attempts are scored again."""

    store: Store
    limit: int

    @classmethod
    def of(cls, store: Store, source: Row) -> "RecordedTurns":
        """Return those of a run."""
        return cls(store, further_turns(source))

    async def follow(
        self,
        case: DiffEditCase,
        scorings: tuple[Scoring, ...],
        turns: Mapping[int, StoredAnswer],
        scored_by: tuple[ScoresAnswers, EditTool | None],
    ) -> tuple[Scoring, ...]:
        """Return the scorings of a first turn with the further ones as their detail; a tool of None is the default."""
        if not self.limit:
            return scorings
        scoring, tool = scored_by
        reply = replying(tool)

        async def next_turn(number: int, _message: str | None) -> FollowUp | None:
            answer = turns.get(number)
            message = None if answer is None else self._message(case, answer)
            if answer is None or message is None:
                return None
            plain = Completion(answer.completion.text, finish_reason=answer.completion.finish_reason)
            return FollowUp(message, await scoring.scorings(case, plain))

        return await followed(case, scorings, self.limit, reply, next_turn)

    def _message(self, case: DiffEditCase, answer: StoredAnswer) -> str | None:
        """Return what was sent back before an answer; None where it is not on record."""
        (row,) = self.store.rows(_REQUEST, answer.answer_id)
        request = stored_json(self.store.text(row["request_id"]) or "null")
        messages = request.get("messages") if isinstance(request, dict) else None
        if not messages:
            return None
        return str(messages[-1]["text"]).removeprefix(headed(case, ""))
