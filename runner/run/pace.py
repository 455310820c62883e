"""How fast and how long a session may go: nothing here changes what a run is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from runner.run.breaker import UNTRIED, PreflightResult
from runner.run.limits import CallLimits, Rates
from suts.sut import Endpoint

# Longer than any attempt, and no trouble for a timer.
_EVER_S = 1e7


@dataclass(frozen=True, slots=True)
class Deadlines:
    """How long a call may take, in seconds: until the first token, between two, in all.

    Tokens are text, reasoning or tool calls. Comments and events without any of these, such as pings, show only that
    the connection is open. `own_first_token_s` counts instead at servers of one's own: they may be slow machines.
    """

    first_token_s: float = 300.0
    idle_s: float = 60.0
    total_s: float = 900.0
    own_first_token_s: float | None = None

    def at_least(self, answer_s: float) -> "Deadlines":
        """Return these deadlines, extended for an answer that comes in one piece after `answer_s` seconds."""
        first_s, own_s = self.first_token_s, self.own_first_token_s
        return Deadlines(
            max(first_s, answer_s),
            self.idle_s,
            max(self.total_s, answer_s),
            None if own_s is None else max(own_s, answer_s),
        )

    def at(self, endpoint: Endpoint) -> "Deadlines":
        """Return the deadlines of calls to an endpoint."""
        if endpoint.own_limits or endpoint.batched:
            return NO_DEADLINES
        if self.own_first_token_s is None or not endpoint.own_server:
            return self
        return replace(self, first_token_s=self.own_first_token_s, own_first_token_s=None)


# Those of calls whose end is looked after elsewhere.
NO_DEADLINES = Deadlines(_EVER_S, _EVER_S, _EVER_S)


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a session may go, and how much it may cost: nothing here changes what a run is.

    `slots` is how many requests may be under way at once, `budget_usd` the most that the run may cost. `waiting`
    attempts more of each system may wait for a verdict without delaying requests.
    """

    slots: int = 1
    rates: Rates = field(default_factory=Rates)
    deadlines: Deadlines = field(default_factory=Deadlines)
    budget_usd: float | None = None
    waiting: int = 0

    @property
    def attempts(self) -> int:
        """The maximum number of attempts of one system at once."""
        return self.slots + self.waiting

    def limits(
        self, now: Callable[[], float], say: Callable[[str], None], preflight: PreflightResult = UNTRIED
    ) -> CallLimits:
        """The limits of a session at this pace; `now` is a clock in seconds."""
        return CallLimits(self.rates, self.slots, now, say, preflight)

    def within(self, at_once: int, server_slots: Mapping[str, int]) -> "Pace":
        """Return this pace with at most so many requests at once, and to each server."""
        return replace(self, slots=at_once, rates=replace(self.rates, server_slots=server_slots))
