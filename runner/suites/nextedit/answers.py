"""An answer to a question of a replay, of a model or of a system without one."""

from dataclasses import dataclass
from typing import Literal

from runner.records import Completion, Outcome
from runner.suites.nextedit.editor import Suggestion

RECOMMEND: Literal["recommend"] = "recommend"
FILL: Literal["fill"] = "fill"


@dataclass(frozen=True, slots=True)
class StepAnswer:
    """One answer to one question: the predictions in it, and why there are none, in words if a system failed."""

    step: int
    mode: str
    completion: Completion
    outcome: Outcome
    suggestions: tuple[Suggestion, ...]
    trouble: str | None = None

    @property
    def valid(self) -> bool:
        """Whether it calls for an edit, or states that nothing is left to do."""
        return self.outcome.valid
