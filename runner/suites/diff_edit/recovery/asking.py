"""Asking for further turns after a refused edit: each is a question of the run, with its row and its budget."""

from collections.abc import Callable
from dataclasses import dataclass

from runner.records import REPAIR, Completion, Scoring
from runner.run.protocols import Ask
from runner.suites.diff_edit.cases import DiffEditCase
from runner.suites.diff_edit.foreign_scoring import ScoresAnswers
from runner.suites.diff_edit.recovery.following import FollowUp, followed
from runner.suites.diff_edit.recovery.refusals import Reply
from suts.sut import ErrorKind, Request, SutError

Extend = Callable[[DiffEditCase, Request, str, str], Request]
"""Maps a case, a question, its answer and what goes back to the next question."""

# The conversation has become one that this system does not take: the attempt ends with the turns that it has.
_FINAL = frozenset({ErrorKind.CONTEXT, ErrorKind.BAD_REQUEST})


@dataclass(frozen=True, slots=True)
class Recovery:
    """How the attempts of a prompt go on after a refused edit: at most `turns` further turns."""

    turns: int
    scoring: ScoresAnswers
    reply: Reply
    extend: Extend

    async def follow(
        self,
        case: DiffEditCase,
        ask: Ask,
        number: int,
        first: tuple[Request, Completion],
        scorings: tuple[Scoring, ...],
    ) -> tuple[tuple[Scoring, ...], float | None]:
        """Return the scorings of the first turn with the others as their detail, and the cost of all turns.

        Raises SutError where a turn got no answer and could get one later: the turns before it are on record.
        """
        request, completion = first
        costs = [completion.cost_usd]

        async def next_turn(step: int, message: str | None) -> FollowUp | None:
            nonlocal request, completion
            if message is None:
                return None
            request = self.extend(case, request, completion.text, message)
            try:
                completion = await ask(request, step=step, mode=REPAIR, number=number)
            except SutError as error:
                if error.kind in _FINAL and not error.parameter:
                    return None
                raise
            costs.append(completion.cost_usd)
            return FollowUp(message, await self.scoring.scorings(case, completion))

        all_turns = await followed(case, scorings, self.turns, self.reply, next_turn)
        known = [cost for cost in costs if cost is not None]
        return all_turns, sum(known) if len(known) == len(costs) else None
