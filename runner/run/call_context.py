"""What every call of a session shares: its ledger, limits, budget and deadlines, and how patient it is."""

from collections.abc import Callable
from dataclasses import dataclass, field

from runner.prices import Prices
from runner.run.budget import Budget
from runner.run.limits import LONGEST_WAIT_S, CallLimits
from runner.run.pace import NO_DEADLINES, Deadlines
from runner.run.protocols import AsksElsewhere, TruthOf
from runner.run.reading import LARGEST_ANSWER, ReadingLimits
from runner.run.replicas import AllReplicas
from runner.run.sending import Refusals
from runner.run.watch import Gaps
from runner.storage.ledger import Ledger
from suts.sut import Endpoint


@dataclass(frozen=True, slots=True)
class Retries:
    """How often and how long a call is tried again: at most `tries` calls, the last begun within `within_s`."""

    tries: int = 8
    within_s: float = LONGEST_WAIT_S
    longest_wait_s: float = 60.0


@dataclass(frozen=True, slots=True)
class CallContext:
    """What every call of a run shares.

    `truth` is what requests of simulated systems carry; `largest_answer` is in bytes of the raw stream;
    `gaps` knows when this process could not read; `elsewhere` asks in batches, or by workers;
    `refusals` knows which parameters models refuse, and `replicas` which of a model's servers work.
    """

    ledger: Ledger
    limits: CallLimits
    budget: Budget
    prices: Prices
    now_ns: Callable[[], int]
    say: Callable[[str], None]
    deadlines: Deadlines = field(default_factory=Deadlines)
    retries: Retries = Retries()
    truth: TruthOf | None = None
    gaps: Gaps | None = None
    elsewhere: AsksElsewhere | None = None
    largest_answer: int = LARGEST_ANSWER
    refusals: Refusals = field(init=False)
    replicas: AllReplicas = field(init=False)

    def __post_init__(self) -> None:
        """Begin with the refusals that the price table lists and that earlier sessions met."""
        object.__setattr__(self, "refusals", Refusals(self.prices, self.say, self.ledger.unsent()))
        object.__setattr__(self, "replicas", AllReplicas(self.limits, self.say))

    def reading_limits(self, endpoint: Endpoint) -> ReadingLimits:
        """Return the limits of reading an answer here; what is asked elsewhere has its deadlines there."""
        deadlines = self.deadlines.at(endpoint) if self.elsewhere is None else NO_DEADLINES
        return ReadingLimits(deadlines, self.largest_answer)
