"""What a replay of a commit leaves behind: draws, steps, and what went wrong."""

from dataclasses import dataclass, field

from runner.records import Clocks, Tokens
from runner.suites.nextedit.answers import RECOMMEND
from runner.suites.nextedit.editor import Mishap, Suggestion
from runner.suites.nextedit.first_prediction import FirstPrediction
from runner.suites.nextedit.matching import Match
from runner.suites.nextedit.step_metrics import StepMetrics


@dataclass(frozen=True, slots=True)
class Draw:
    """A choice made by chance at a step: the first edit (step 0), or the next where no prediction fits."""

    step: int
    options: tuple[int, ...]
    chosen: int


@dataclass(frozen=True, slots=True)
class Trouble:
    """A question that got no answer, or predictions that speak of lines that are not there."""

    question: str
    reason: Mishap
    message: str


@dataclass(frozen=True, slots=True)
class Content:
    """What was proposed for the edit that is then made, and how good it is; `requested` if its place was given.

    `bleu` is 0 to 100, `excision` has scores of 0 to 1 by name.
    """

    requested: bool
    bleu: float
    exact: bool
    excision: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Call:
    """One answer on record: to which question of a step, what it was, when it came, and its cost (None = unknown)."""

    mode: str
    outcome: str
    clocks: Clocks
    tokens: Tokens
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what was known and allowed, what was predicted, how it was judged, and which edit was made.

    `latency_ns` is the time the recommendation took, `fill_ns` that of the place-given question, None if not asked.
    `calls` are the answers to both, where they are on record. With `new_island` no edit depended on those made, so
    that all that remained were allowed. `in_view` are the allowed edits whose places the system saw, None if unknown.
    `first` is what an editor gains that shows the first prediction alone.
    """

    number: int
    applied: tuple[int, ...]
    allowed: tuple[int, ...]
    suggestions: tuple[Suggestion, ...]
    matches: tuple[Match, ...]
    metrics: StepMetrics
    made_edit: int
    content: Content | None
    latency_ns: int
    fill_ns: int | None = None
    troubles: tuple[Trouble, ...] = ()
    calls: tuple[Call, ...] = ()
    new_island: bool = False
    in_view: tuple[int, ...] | None = None
    first: FirstPrediction = field(default_factory=FirstPrediction)

    @property
    def nothing_more(self) -> bool:
        """Whether the system stated that nothing is left to do: it answered, and predicted no edit."""
        return not self.suggestions and all(trouble.question != RECOMMEND for trouble in self.troubles)


@dataclass(frozen=True, slots=True)
class CommitReplay:
    """A commit replayed to its end; `steps` has one entry per edit but the first."""

    case_id: str
    sha: str
    seed: int
    draws: tuple[Draw, ...]
    steps: tuple[Step, ...]
    troubles: tuple[Trouble, ...] = ()

    @property
    def order(self) -> tuple[int, ...]:
        """The edits in the order in which they were made."""
        return (self.draws[0].chosen, *(step.made_edit for step in self.steps))

    @property
    def predicted_in_time(self) -> frozenset[int]:
        """The edits that were predicted before they were made."""
        return frozenset(match.target for step in self.steps for match in step.matches)
