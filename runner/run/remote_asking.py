"""The worker's part of a question that is asked elsewhere: it sends the request, reads the answer, and hands it back.

Keys are those of the worker's environment: none is in an order, and none in what goes back.
"""

import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache

from runner.run.error_facts import ErrorFacts
from runner.run.heartbeat import Heartbeat
from runner.run.options import sut_settings
from runner.run.reading import ReadingLimits, read_answer
from runner.run.redaction import may_hold_secrets, redactor_for, without_secrets, without_secrets_in_error
from runner.storage.streams import AnswerReader
from suts.rate_headers import HeaderSource, RateHeaders
from suts.redacted_stream import redacted_stream
from suts.registry import resolve
from suts.settings import UnknownSutError
from suts.sut import ErrorKind, Received, Request, Sut, SutError


@dataclass(frozen=True, slots=True)
class SutOrder:
    """Which system a worker makes, with the options of the command that say so.

    `session` is that of the command: no two share a system and its connections.
    """

    name: str
    session: str
    provider: str = ""
    base_url: str = ""
    seed: int = 0
    insecure_http: bool = False

    def built(self) -> Sut:
        """Return the system. Raises UnknownSutError where this process cannot make it."""
        urls = (self.base_url,) if self.base_url else ()
        return resolve(self.name, sut_settings(self.provider, urls, self.seed, insecure_http=self.insecure_http))


@dataclass(frozen=True, slots=True)
class CallOrder:
    """A request that is sent as it is, to which system, and the limits of its answer."""

    sut: SutOrder
    request: Request
    limits: ReadingLimits


@dataclass(frozen=True, slots=True)
class Delivery:
    """What came of an order: the pieces of the stream, by the worker's clock, and why it ended early.

    `rates` are the limits that servers reported meanwhile, `disturbed_ms` is the longest time without reading.
    """

    sent_ns: int
    ended_ns: int
    pieces: list[Received]
    error: ErrorFacts | None = None
    rates: tuple[RateHeaders, ...] = ()
    disturbed_ms: float = 0.0


async def deliver(order: CallOrder) -> Delivery:
    """Ask, in the event loop of a worker."""
    try:
        known = _known(order.sut)
    except UnknownSutError as unknown:
        now_ns = time.monotonic_ns()
        error = SutError(ErrorKind.AUTH, f"a worker cannot ask: {unknown}", retryable=False)
        return Delivery(now_ns, now_ns, [], ErrorFacts.of(error))
    return await known.deliver(order)


async def missing(orders: tuple[SutOrder, ...]) -> str:
    """Return why this worker cannot ask one of the systems; "" if it can ask all."""
    for order in orders:
        try:
            _known(order)
        except UnknownSutError as error:
            return str(error)
    return ""


async def close_suts(session: str) -> None:
    """Close the systems that this worker has made for a session."""
    for order in [order for order in _KNOWN if order.session == session]:
        await _KNOWN.pop(order).sut.aclose()


@dataclass(slots=True)
class _KnownSut:
    """A system as this process asks it, and the limits that its server has reported since they were fetched."""

    sut: Sut
    rates: list[RateHeaders] = field(default_factory=list)

    async def deliver(self, order: CallOrder) -> Delivery:
        """Send a request and return what comes, without the secrets that this process sends."""
        sut, heart = self.sut, _heart()
        began_ns = time.monotonic_ns()
        reading = AnswerReader(sut.wire.decoder(), None, began_ns)
        pieces: Iterable[Received] = reading.stream
        error = None
        try:
            with heart.beating():
                await read_answer(sut.stream(order.request), reading, order.limits, time.monotonic_ns, heart.heartbeat)
            if await may_hold_secrets(reading, sut):
                pieces = without_secrets(reading, sut, lambda: None).stream
        except SutError as unsafe:
            error = ErrorFacts.of(without_secrets_in_error(unsafe, reading, sut))
            pieces = redacted_stream(reading.stream, redactor_for(sut))
        rates, self.rates[:] = tuple(self.rates), []
        ended_ns = time.monotonic_ns()
        return Delivery(
            reading.sent_ns, ended_ns, list(pieces), error, rates, heart.heartbeat.disturbed_ms(reading.sent_ns)
        )


class _Heart:
    """The heartbeat of this process: it beats while calls are under way."""

    def __init__(self) -> None:
        self.heartbeat = Heartbeat()
        self._calls = 0
        self._beating = ExitStack()

    @contextmanager
    def beating(self) -> Iterator[None]:
        """Beat until no such block is left."""
        if not self._calls:
            self._beating.enter_context(self.heartbeat.beating())
        self._calls += 1
        try:
            yield
        finally:
            self._calls -= 1
            if not self._calls:
                self._beating.close()


@cache
def _heart() -> _Heart:
    return _Heart()


def _known(order: SutOrder) -> _KnownSut:
    """Return the system of an order, which is kept until it is closed. Raises UnknownSutError."""
    known = _KNOWN.get(order)
    if known is None:
        known = _KNOWN[order] = _KnownSut(order.built())
        if isinstance(known.sut, HeaderSource):
            known.sut.on_headers = known.rates.append
    return known


_KNOWN: dict[SutOrder, _KnownSut] = {}
