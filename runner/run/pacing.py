"""Allowances over time: a rate that the user sets, one that a provider reports in its headers, one learnt by trying."""

import math
from collections import deque
from dataclasses import dataclass, field

from suts.rate_headers import Allowance


@dataclass(slots=True)
class Bucket:
    """Units per minute; the units of one second may be used at once. `level` may fall below 0."""

    per_minute: float
    level: float = math.nan
    at_s: float = 0.0

    def wait_s(self, now_s: float) -> float:
        """Return seconds until the next unit is free."""
        self._refill(now_s)
        return max(0.0, (1 - self.level) * 60 / self.per_minute) if self.level < 1 else 0.0

    def take(self, units: float, now_s: float) -> None:
        """Use units; using more than available delays later calls."""
        self._refill(now_s)
        self.level -= units

    def _refill(self, now_s: float) -> None:
        burst = max(1.0, self.per_minute / 60)
        if math.isnan(self.level):
            self.level = burst
        else:
            self.level = min(burst, self.level + (now_s - self.at_s) * self.per_minute / 60)
        self.at_s = now_s


@dataclass(slots=True)
class ReportedLimit:
    """What the last response reported of one limit, with a forecast.

    The provider's count may be from before the calls that have no response yet, so these are subtracted: the
    estimate is too low by at most the calls in flight, and never too high. The limit refills evenly until its reset.
    """

    limit: int = 0
    remaining: float = math.inf
    reset_s: float = 0.0
    at_s: float = 0.0

    def hear(self, allowance: Allowance, now_s: float) -> None:
        """Record the allowance of a response."""
        if allowance.remaining is None:
            return
        self.limit = allowance.limit if allowance.limit is not None else max(self.limit, allowance.remaining)
        self.remaining = allowance.remaining
        self.reset_s = allowance.reset_s or 0.0
        self.at_s = now_s

    def wait_s(self, unanswered: int, now_s: float) -> float:
        """Return seconds until one more call will probably be accepted; 0 if nothing is known."""
        if math.isinf(self.remaining):
            return 0.0
        age_s = now_s - self.at_s
        if age_s >= self.reset_s:
            # The limit is whole again; a response will report the rest.
            return 0.0 if unanswered < max(self.limit, 1) else 0.05
        rate = (self.limit - self.remaining) / self.reset_s
        level = self.remaining + rate * age_s - unanswered
        if level >= 1:
            return 0.0
        return min((1 - level) / rate, self.reset_s - age_s) if rate > 0 else self.reset_s - age_s


# Calls of so many last seconds show what an endpoint accepts; less than one second of them shows nothing.
_MEMORY_S = 10.0
_SHORTEST_MEMORY_S = 1.0
_CUT = 0.9
_DEEPEST_CUT = 0.5
_GROWTH_A_SECOND = 0.05
# Timers are slightly late; a call that starts late does not lower the rate.
_LATENESS_S = 0.1


@dataclass(slots=True)
class CallRate:
    """Calls a second, evenly spaced: unlimited until the first complaint, then slightly less than recently accepted.

    Between complaints the rate grows evenly (additive increase, multiplicative decrease: Chiu and Jain 1989). A
    window of calls under way would find the same, but only in rounds of the answers' own length.
    """

    cut_s: float = -math.inf
    _base: float = math.inf
    _next_s: float = 0.0
    _began_s: float = math.nan
    _taken: deque[float] = field(default_factory=deque)

    def rate(self, now_s: float) -> float:
        """Return the calls per second at this moment."""
        return self._base * (1 + _GROWTH_A_SECOND * (now_s - self.cut_s)) if self._base < math.inf else math.inf

    def wait_s(self, now_s: float) -> float:
        """Return seconds until the next call may start."""
        return max(0.0, self._next_s - now_s)

    def take(self, now_s: float) -> None:
        """Record the start of a call."""
        if not self._taken:
            self._began_s = now_s
        self._taken.append(now_s)
        self._forget(now_s)
        self._next_s = max(self._next_s, now_s - _LATENESS_S) + 1 / self.rate(now_s)

    def refused(self, began_s: float, now_s: float, retry_after_s: float | None) -> bool:
        """Record a complaint about a call that started at `began_s`; return whether it is a new episode.

        One episode is one cut: the complaints about calls from before it only make its measure exact. An endpoint
        that asks to wait `retry_after_s` seconds accepts at least one call in that time.
        """
        if self._taken:
            self._taken.pop()
        self._forget(now_s)
        span_s = min(_MEMORY_S, max(_SHORTEST_MEMORY_S, now_s - self._began_s))
        taken = max(len(self._taken), 1) / span_s
        rate = max(_CUT * taken, 1 / retry_after_s if retry_after_s else 0.0)
        if began_s <= self.cut_s:
            self._base = min(self._base, rate)
            return False
        before = self.rate(now_s)
        self._base = rate if before == math.inf else min(max(rate, _DEEPEST_CUT * before), _CUT * before)
        self.cut_s = now_s
        return True

    def _forget(self, now_s: float) -> None:
        while self._taken and self._taken[0] < now_s - _MEMORY_S:
            self._taken.popleft()
