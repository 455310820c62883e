"""What a run is about to do, before anything is written, asked or executed."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from runner.run.breaker import UNTRIED, PreflightResult
from runner.run.options import AskOptions
from runner.storage.ledger import LaneKey
from suts.sut import Sut

DetailT = TypeVar("DetailT")


@dataclass(frozen=True, slots=True)
class Workload:
    """What one system is asked at one attempt per lane, over all of its lanes.

    `answer_tokens` is how long an answer is estimated to be; `questions` counts the questions of a suite that asks
    several in an attempt, and `most_questions` bounds them where invalid answers are asked for again.
    """

    questions: int
    prompt_tokens: int
    answer_tokens: int
    most_questions: int


@dataclass(frozen=True, slots=True)
class Plan(Generic[DetailT]):
    """A run in plan: whose quotas are to be filled, how much that asks of a system, and what the suite adds.

    - `suts` are asked; `local` names those that run here, which cost nothing.
    - `lanes`: the cases outermost, so that an early stop leaves the systems balanced.
    - `quota` and `cap` are those of each lane.
    - `notes`: lines of the preview that only this suite can write.
    - `preflight`: which endpoints respond, once they were tried.
    - `first`: runs that are made before this one, while it is prepared; consent and cost are those of all together.
    """

    suite: str
    options: AskOptions
    suts: tuple[Sut, ...]
    lanes: tuple[LaneKey, ...]
    quota: int
    cap: int
    workload: Workload
    detail: DetailT
    local: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    first: "tuple[Plan[Any], ...]" = ()
    preflight: PreflightResult = UNTRIED

    @property
    def all_suts(self) -> tuple[Sut, ...]:
        """Every system that is asked, those of the runs before this one included."""
        return (*(sut for plan in self.first for sut in plan.suts), *self.suts)
