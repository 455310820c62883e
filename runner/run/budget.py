"""A hard cap on the cost of a run: the maximum cost of a call is reserved before it is sent."""

import asyncio
from dataclasses import dataclass, field

from runner.storage.store import Store


class BudgetReachedError(Exception):
    """The next call might cost more than is left; the run drains and can be resumed with a larger budget."""


class NotRecordedError(BudgetReachedError):
    """The row of the next call cannot be written, so it is not sent; the run drains as at the end of a budget."""


@dataclass(slots=True)
class Budget:
    """USD: `cap_usd` (None = no cap), the amount spent, and the amount reserved for calls under way."""

    cap_usd: float | None = None
    spent_usd: float = 0.0
    reserved_usd: float = 0.0
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
                    f"${left:.4f} of ${self.cap_usd:.2f} left, the next call may cost ${bound_usd:.4f}"
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


def spent_usd(store: Store, run_id: str) -> float:
    """Return the cost of a run so far, with the bound of each call in flight or of unknown cost."""
    sql = """
        SELECT coalesce(sum(
            CASE WHEN a.outcome IN ('answered', 'crashed')
                THEN coalesce(a.provider_cost_usd, a.list_cost_usd, a.reserved_usd, 0)
                WHEN a.outcome = 'in_flight' THEN coalesce(a.reserved_usd, 0) ELSE 0 END
            + coalesce(a.discarded_usd, 0)), 0) AS usd
        FROM answers a JOIN lanes l USING (lane_id) WHERE l.run_id = ?"""
    return float(store.rows(sql, run_id)[0]["usd"])
