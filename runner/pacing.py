"""Allowances over time: a rate that we were given, and one that a provider tells of in its headers."""

import math
from dataclasses import dataclass

from suts.rate_headers import Allowance


@dataclass(slots=True)
class Bucket:
    """So many units a minute; what one second of it allows may go at once. `level` may fall below 0."""

    per_minute: float
    level: float = math.nan
    at_s: float = 0.0

    def wait_s(self, now_s: float) -> float:
        """Seconds until the next unit is free."""
        self._refill(now_s)
        return max(0.0, (1 - self.level) * 60 / self.per_minute) if self.level < 1 else 0.0

    def take(self, units: float, now_s: float) -> None:
        """Use units; more than there are is a debt that is waited for later."""
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
class Told:
    """What the last response told of one limit, looked at ahead.

    The provider's count may be from before the calls that have no response yet, so these are subtracted: too
    careful by at most the calls in flight, never too bold. The limit refills evenly until its reset.
    """

    limit: int = 0
    remaining: float = math.inf
    reset_s: float = 0.0
    at_s: float = 0.0

    def hear(self, allowance: Allowance, now_s: float) -> None:
        """Take a response's word."""
        if allowance.remaining is None:
            return
        self.limit = allowance.limit if allowance.limit is not None else max(self.limit, allowance.remaining)
        self.remaining = allowance.remaining
        self.reset_s = allowance.reset_s or 0.0
        self.at_s = now_s

    def wait_s(self, unanswered: int, now_s: float) -> float:
        """Seconds until one more call can be expected to be let in; 0 where nothing is known."""
        if math.isinf(self.remaining):
            return 0.0
        age_s = now_s - self.at_s
        if age_s >= self.reset_s:
            # The limit is whole again; a response will tell the rest.
            return 0.0 if unanswered < max(self.limit, 1) else 0.05
        rate = (self.limit - self.remaining) / self.reset_s
        level = self.remaining + rate * age_s - unanswered
        if level >= 1:
            return 0.0
        return min((1 - level) / rate, self.reset_s - age_s) if rate > 0 else self.reset_s - age_s
