"""A hard cap on the cost of a run: the maximum cost of a call is reserved before it is sent."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from runner.errors import UnsentError
from runner.prices import Prices
from runner.storage.store import Store
from suts.batches import BATCH_SHARE
from suts.sut import Endpoint, Request, Sut

TO_LOWER = "lower --max-tokens, shorten the prompts or choose a cheaper model, or raise --budget"
# Sums of floats are slightly off.
_TOLERANCE = 1 + 1e-9


class BudgetReachedError(UnsentError):
    """The next call might cost more than is left; the run drains and can be resumed with a larger budget."""

    kind = "budget"


@dataclass(slots=True)
class Budget:
    """USD: `cap_usd` (None = no cap), the amount spent, and the amount reserved for calls under way.

    `factors` are those by which answers of a system have cost more than their bounds; `on_overrun` gets the reason why
    the run must stop when another one does.
    """

    cap_usd: float | None = None
    spent_usd: float = 0.0
    reserved_usd: float = 0.0
    factors: dict[str, float] = field(default_factory=dict)
    on_overrun: Callable[[str], None] | None = None
    _under_way: int = 0
    _settled: asyncio.Event = field(default_factory=asyncio.Event)

    async def reserve(self, bound_usd: float | None) -> None:
        """Reserve a call's bound; wait while calls under way may still free enough.

        Raises BudgetReachedError when nothing is under way and the bound does not fit, or is unknown.
        """
        if self.cap_usd is None:
            return
        if bound_usd is None:
            raise BudgetReachedError("a call's price is unknown")
        while self.spent_usd + self.reserved_usd + bound_usd > self.cap_usd:
            if not self._under_way:
                left = self.cap_usd - self.spent_usd
                raise BudgetReachedError(
                    f"${left:.4f} of {dollars(self.cap_usd)} left, the next call may cost ${bound_usd:.4f}; {TO_LOWER}"
                )
            self._settled.clear()
            await self._settled.wait()
        self.reserved_usd += bound_usd
        self._under_way += 1

    def settle(self, bound_usd: float | None, cost_usd: float | None) -> None:
        """Record the end of a call: free its bound, and add its cost (its bound if the cost is unknown)."""
        if self.cap_usd is None or bound_usd is None:
            return
        self._under_way -= 1
        # Sums of floats do not return to exactly 0; a remainder would be waited for forever.
        self.reserved_usd = self.reserved_usd - bound_usd if self._under_way else 0.0
        self.spent_usd += bound_usd if cost_usd is None else cost_usd
        self._settled.set()


@dataclass(slots=True)
class Reservation:
    """The reservation of one call of a system: its bound by the price table, raised by the factor of the system."""

    budget: Budget
    sut: str
    bound_usd: float | None
    _reserved_usd: float | None = None
    _active: bool = False

    async def make(self) -> None:
        """Reserve the amount; wait while calls under way may still free enough. Raises BudgetReachedError."""
        bound, factor = self.bound_usd, self.budget.factors.get(self.sut, 1.0)
        self._reserved_usd = None if bound is None else bound * factor
        await self.budget.reserve(self._reserved_usd)
        self._active = True

    def settle(self, cost_usd: float | None) -> None:
        """Record the cost of the call, if it was made; None is unknown."""
        if not self._active:
            return
        budget, reserved = self.budget, self._reserved_usd
        budget.settle(reserved, cost_usd)
        if budget.cap_usd is None or not self.bound_usd or cost_usd is None or reserved is None:
            return
        if cost_usd > reserved * _TOLERANCE:
            factor = budget.factors[self.sut] = max(cost_usd / self.bound_usd, budget.factors.get(self.sut, 1.0))
            if budget.on_overrun is not None:
                budget.on_overrun(
                    f"an answer of {self.sut} cost ${cost_usd:.4f}, and ${reserved:.4f} was reserved for it;"
                    f" from now on {factor:.1f} times its bound is reserved"
                )


def most_usd(sut: Sut, request: Request, prices: Prices) -> float | None:
    """Return the most that a question can cost: the limit that a system keeps itself, else the bound by its price."""
    stated = getattr(sut, "most_usd", None)
    if isinstance(stated, float):
        return stated
    bound = prices.bound(sut.name, request)
    return None if bound is None else bound * price_share(sut.endpoint)


def price_share(endpoint: Endpoint) -> float:
    """Return the share of the list price that an answer costs."""
    return BATCH_SHARE if endpoint.batched else 1.0


class Spending(NamedTuple):
    """What a run has cost (USD), and by which factors answers of its systems cost more than their bounds."""

    usd: float
    factors: dict[str, float]


def spending(store: Store, run_id: str) -> Spending:
    """Return the cost of a run so far; each call of unknown cost has cost its bound, raised by its system's factor."""
    sql = """
        WITH costs AS (
            SELECT l.sut AS sut, a.reserved_usd AS bound, coalesce(a.discarded_usd, 0) AS discarded,
                a.outcome IN ('answered', 'crashed', 'in_flight') AS paid,
                coalesce(a.provider_cost_usd, a.list_cost_usd) AS cost
            FROM answers a JOIN lanes l USING (lane_id) WHERE l.run_id = ?)
        SELECT sut,
            sum(CASE WHEN paid THEN coalesce(cost, 0) ELSE 0 END) AS known,
            sum(CASE WHEN paid AND cost IS NULL THEN coalesce(bound, 0) ELSE 0 END + discarded) AS bounds,
            max(CASE WHEN paid AND bound > 0 THEN cost / bound END) AS factor
        FROM costs GROUP BY sut"""
    spent, factors = 0.0, {}
    for row in store.rows(sql, run_id):
        factor = row["factor"] or 0.0
        if factor > _TOLERANCE:
            factors[row["sut"]] = factor
        spent += row["known"] + row["bounds"] * max(1.0, factor)
    return Spending(spent, factors)


def spent_usd(store: Store, run_id: str) -> float:
    """Return the cost of a run so far, with the bound of each call in flight or of unknown cost."""
    return spending(store, run_id).usd


def dollars(usd: float) -> str:
    """Return an amount in USD, with more than two decimals where it has more."""
    return f"${usd:.2f}" if round(usd, 2) == usd else f"${usd:.6g}"
