"""The admission of a request: the permission of its model's limiter, room in the budget, then a slot."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from runner.run.budget import Reservation
from runner.run.limits import CallLimits, Limiter


@asynccontextmanager
async def admitted(
    limits: CallLimits, limiter: Limiter, tokens: float, reservation: Reservation
) -> AsyncIterator[float]:
    """Wait until a request of `tokens` tokens may be sent; yields the time then (seconds of the limiter's clock).

    The slot comes last, so that it is held by no request that waits; money is reserved by no request that its endpoint
    does not take yet. Raises UnsentError if the run drains before, BudgetReachedError at the cap, and SutError where
    the endpoint says that it takes no more requests for a long time.
    """
    with limits.drain.waiting() as wait:
        async with limiter.call(tokens):
            await reservation.make()
            await limits.slots.acquire(limiter.name)
            wait.over()
            try:
                yield limiter.now_s()
            finally:
                limits.slots.release(limiter.name)
