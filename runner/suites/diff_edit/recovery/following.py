"""The turns that follow a refused edit, for each algorithm that scores them, asked now or found on record."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from runner.records import Scoring
from runner.storage.rows import to_json
from runner.suites.diff_edit.cases import DiffEditCase
from runner.suites.diff_edit.recovery.refusals import Reply

# Why the turns of an algorithm end where it would have sent its refusal back.
OTHER_MESSAGE: Final = "its message would have differed"
NOT_ASKED: Final = "nothing more was asked"


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A further turn: what was sent back, and the scorings of the answer, one per algorithm."""

    message: str
    scorings: Sequence[Scoring]


NextTurn = Callable[[int, str | None], Awaitable[FollowUp | None]]
"""Maps the number of a follow-up and what the first algorithm would send back to the turn; None where there is none."""


@dataclass(slots=True)
class _Trace:
    """The turns of one algorithm; `message` is what it would send back now, None once there is nothing to send."""

    first: Scoring
    message: str | None
    turns: list[dict[str, object]] = field(default_factory=list)
    stopped: str = ""

    @property
    def is_open(self) -> bool:
        return self.message is not None and not self.stopped

    def take(self, scoring: Scoring, message: str | None) -> None:
        self.message = message
        self.turns.append(
            {
                "turn": len(self.turns) + 2,
                "outcome": str(scoring.outcome),
                "valid": scoring.valid,
                "equals_expected": scoring.equals_expected,
                "error_text": scoring.error_text,
            }
        )

    @property
    def scoring(self) -> Scoring:
        """The scoring of the first turn, with the others as its detail."""
        if not self.turns and not self.stopped:
            return self.first
        detail: dict[str, object] = {"turns": self.turns}
        if self.stopped:
            detail["stopped"] = {"after": len(self.turns) + 1, "why": self.stopped}
        return replace(self.first, detail=to_json(detail))


async def followed(
    case: DiffEditCase, scorings: Sequence[Scoring], limit: int, reply: Reply, next_turn: NextTurn
) -> tuple[Scoring, ...]:
    """Return the scorings of a first turn with what came of at most `limit` further ones as their detail.

    The first algorithm leads the conversation; another goes on while it would have sent back the same.
    """
    traces = [_Trace(scoring, await reply(case, scoring)) for scoring in scorings]
    for number in range(1, limit + 1):
        if not any(trace.is_open for trace in traces):
            break
        follow_up = await next_turn(number, traces[0].message if traces[0].is_open else None)
        for trace, at in ((trace, at) for at, trace in enumerate(traces) if trace.is_open):
            if follow_up is None:
                trace.stopped = NOT_ASKED
            elif follow_up.message != trace.message:
                trace.stopped = OTHER_MESSAGE
            else:
                scoring = follow_up.scorings[at]
                trace.take(scoring, await reply(case, scoring))
    return tuple(trace.scoring for trace in traces)
