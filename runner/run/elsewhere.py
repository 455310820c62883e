"""Has the workers of an engine ask models, where the command says so: it plans, limits, records and scores itself.

What goes to a worker is one request, after its row is written, its cost reserved and its place in the rates taken. So
`--budget`, `--rpm` and the quotas hold over all workers, as they do in one process.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeVar
from uuid import uuid4

from runner.errors import InputError
from runner.pool.executor import Caller, Executor, RemoteError
from runner.run.options import AskOptions
from runner.run.pace import Deadlines
from runner.run.plan import Plan
from runner.run.reading import LARGEST_ANSWER, ReadingLimits
from runner.run.remote_asking import CallOrder, Delivery, SutOrder, close_suts, deliver, missing
from suts.rate_headers import HeaderSource
from suts.replicated import replicas_of
from suts.sut import Received, Request, Sut
from suts.variants import plain_sut

DetailT = TypeVar("DetailT")

# A worker that is gone, or busy, may keep its connections a little longer.
_CLOSING_S = 3.0


@contextmanager
def opened_elsewhere(plan: Plan[DetailT]) -> Iterator[Plan[DetailT]]:
    """Open the engine that the options name; the plan that is yielded has it.

    Raises InputError where it cannot be reached, or a worker cannot ask one of the models.
    """
    options = plan.options
    with options.computing.opened() as engine:
        caller = caller_of(engine, options.executor)
        asyncio.run(_check(caller, plan))
        yield replace(plan, caller=caller)


def caller_of(engine: Executor, name: str) -> Caller:
    """Return what calls by an engine. Raises InputError for an engine that only computes."""
    if not isinstance(engine, Caller):
        raise InputError(f"--executor {name}: this engine cannot ask models; remove --executor")
    return engine


async def _check(caller: Caller, plan: Plan[Any]) -> None:
    """Raise InputError where a worker has not what it takes to ask the models, such as a key."""
    servers = [plain_sut(replica) for sut in plan.all_suts for replica in replicas_of(sut)]
    orders = tuple(sut_order(sut, plan.options, "") for sut in servers)
    reasons = await caller.call_each(missing, orders)
    if reason := next(filter(None, reasons), ""):
        raise InputError(f"--executor {plan.options.executor}: a worker cannot ask: {reason}")


def sut_order(sut: Sut, options: AskOptions, session: str) -> SutOrder:
    """Return how a worker makes a system at one server."""
    urls = options.base_url or ()
    base_url = sut.endpoint.base_url if len(urls) > 1 else next(iter(urls), "")
    return SutOrder(sut.name, session, options.provider, base_url, options.seed, options.insecure_http)


@dataclass(slots=True)
class AskedElsewhere:
    """Asks by the workers of an engine. The clock is monotonic, in nanoseconds."""

    caller: Caller
    options: AskOptions
    deadlines: Deadlines
    largest: int = LARGEST_ANSWER
    now_ns: Callable[[], int] = time.monotonic_ns
    draining: str = ""
    _session: str = field(default_factory=lambda: uuid4().hex)
    _disturbed_ms: dict[int, float] = field(default_factory=dict)

    async def __aenter__(self) -> Self:
        """Begin; the engine is open."""
        return self

    async def __aexit__(self, *_exception: object) -> None:
        """Have the workers close their connections; calls that are under way were cancelled with their attempts."""
        with suppress(RemoteError, TimeoutError):
            async with asyncio.timeout(_CLOSING_S):
                await self.caller.call_each(close_suts, self._session)

    async def stream(self, sut: Sut, request: Request, answer_id: int) -> AsyncIterator[Received]:
        """Yield what a worker has read, by this process's clock. Raises SutError, LostCallError."""
        limits = ReadingLimits(self.deadlines.at(sut.endpoint), self.largest)
        delivery = await self.caller.call(
            deliver, CallOrder(sut_order(sut, self.options, self._session), request, limits)
        )
        shift_ns = self.now_ns() - delivery.ended_ns
        self._disturbed_ms[answer_id] = delivery.disturbed_ms
        _report_rates(sut, delivery, shift_ns)
        yield Received(delivery.sent_ns + shift_ns, b"")
        for at_ns, data in delivery.pieces:
            yield Received(at_ns + shift_ns, data)
        if delivery.error is not None:
            raise delivery.error.error()

    def disturbed_ms(self, answer_id: int) -> float | None:
        """Return the longest time without reading in the worker."""
        return self._disturbed_ms.pop(answer_id, None)


def _report_rates(sut: Sut, delivery: Delivery, shift_ns: int) -> None:
    """Hand the limits that a worker heard of to who keeps them."""
    if isinstance(sut, HeaderSource) and sut.on_headers is not None:
        for rates in delivery.rates:
            sut.on_headers(replace(rates, at_ns=rates.at_ns + shift_ns))
