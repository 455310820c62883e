"""A hard cap on what a run may cost: the most a call can cost is set aside before it is sent."""

import asyncio
from dataclasses import dataclass, field

from runner.storage.store import Store


class BudgetReachedError(Exception):
    """The next call might cost more than is left; the run drains and can go on with a larger budget."""


@dataclass(slots=True)
class Budget:
    """USD: `cap_usd` (None = no cap), what is spent for sure, what is set aside for calls under way."""

    cap_usd: float | None = None
    spent_usd: float = 0.0
    reserved_usd: float = 0.0
    _under_way: int = 0
    _settled: asyncio.Event = field(default_factory=asyncio.Event)

    async def reserve(self, bound_usd: float | None) -> None:
        """Set a call's bound aside; waits while calls under way may yet leave enough.

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
                    f"${left:.4f} of ${self.cap_usd:.2f} left, the next call may cost ${bound_usd:.4f}"
                )
            self._settled.clear()
            await self._settled.wait()
        self.reserved_usd += bound_usd
        self._under_way += 1

    def settle(self, bound_usd: float | None, cost_usd: float | None) -> None:
        """A call is over: its bound is free again, its cost is spent (its bound where the cost is unknown)."""
        if self.cap_usd is None or bound_usd is None:
            return
        self._under_way -= 1
        # Sums of floats do not come back to 0 by themselves, and would be waited for for ever.
        self.reserved_usd = self.reserved_usd - bound_usd if self._under_way else 0.0
        self.spent_usd += bound_usd if cost_usd is None else cost_usd
        self._settled.set()


def spent_usd(store: Store, run_id: str) -> float:
    """What a run has cost for sure, or at most where that is unknown: answers, half answers, lost calls."""
    sql = """
        SELECT coalesce(sum(
            CASE WHEN a.outcome IN ('answered', 'crashed')
                THEN coalesce(a.provider_cost_usd, a.list_cost_usd, a.reserved_usd, 0) ELSE 0 END
            + coalesce(a.discarded_usd, 0)), 0) AS usd
        FROM answers a JOIN lanes l USING (lane_id) WHERE l.run_id = ?"""
    return float(store.rows(sql, run_id)[0]["usd"])
