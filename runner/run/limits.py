"""How many calls an endpoint is sent, and when: one limiter per (base URL, key, model).

If the user sets no number, the window of calls under way starts at 20 and doubles per round until the first complaint.
From then on, and for a number that the user sets, a pace limits calls (see `CallRate`): calls a second, cut at each
complaint and growing in between. All callers wait for the cool-down after a complaint. Rates that the user sets, and
allowances that responses report, are checked before a call is sent.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from runner.run.breaker import UNTRIED, Breaker, PreflightResult
from runner.run.budget import Reservation
from runner.run.drain import Drain
from runner.run.pacing import Bucket, CallRate, ReportedLimit
from runner.run.slots import Slots
from suts.rate_headers import RateHeaders
from suts.sut import Endpoint, ErrorKind, SutError

_START = 20.0
_BUSY = 0.8
# The wait after a complaint that does not state one.
_COOL_DOWN_S = 0.25
_COMPLAINTS = frozenset({ErrorKind.RATE_LIMIT, ErrorKind.OVERLOADED})
# No call waits longer for its endpoint: an endpoint that asks for more is given up, and the run can be resumed.
LONGEST_WAIT_S = 600.0
# A wait that headers ask for is reported from here on.
_LONG_S = 30.0
_FORBIDDEN = 403


@dataclass(frozen=True, slots=True)
class Rates:
    """What the user allows: calls at once (None = adaptive), requests and tokens a minute (None = any).

    `server_slots` is how many calls a server answers at once, by its base URL: it is not sent more.
    """

    concurrency: int | None = None
    rpm: float | None = None
    tpm: float | None = None
    server_slots: Mapping[str, int] = field(default_factory=dict)


class Limiter:
    """The permission to call one model with one key at one place."""

    def __init__(
        self, name: str, rates: Rates, most: int, clock: Callable[[], float], say: Callable[[str], None]
    ) -> None:
        """Start without calls; `most` is the maximum number of calls at once, `clock` is monotonic seconds."""
        self.name = name
        self._clock = clock
        self._say = say
        self._adaptive = rates.concurrency is None
        self._most = most
        self.window = float(rates.concurrency or min(_START, most))
        self._requests = Bucket(rates.rpm) if rates.rpm else None
        self._tokens = Bucket(rates.tpm) if rates.tpm else None
        self._reported_requests = ReportedLimit()
        self._reported_tokens = ReportedLimit()
        self._pace = CallRate()
        self._waiting: deque[tuple[asyncio.Future[None], float]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._in_use = 0
        self._unanswered = 0
        self._cool_s = 0.0
        self._complaint = ""
        self._hears = False
        self._reported_until_s = 0.0
        # Whether the endpoint has accepted a request for this model with this key.
        self.worked = False
        self.local_time: Callable[[], datetime] = datetime.now

    def now_s(self) -> float:
        """Return the time of the limiter's clock."""
        return self._clock()

    @property
    def calls(self) -> int:
        """How many calls are under way, or wait for permission."""
        return self._in_use + sum(not future.done() for future, _ in self._waiting)

    def delay_s(self) -> float:
        """Return for how many seconds the limits delay the next call, whatever is under way."""
        return max(0.0, *self._waits(self._clock()))

    @asynccontextmanager
    async def call(self, tokens: float) -> AsyncIterator[float]:
        """Wait for permission to send `tokens` tokens; yields its time (seconds of the clock).

        Raises SutError(RATE_LIMIT) if the endpoint reports that it takes no more calls for longer than LONGEST_WAIT_S.
        """
        await self._acquire(tokens)
        try:
            yield self._clock()
        finally:
            self._in_use -= 1
            self._unanswered = max(0, min(self._unanswered, self._in_use))
            self._pump()

    async def _acquire(self, tokens: float) -> None:
        if not self._waiting and self._wait_s() <= 0:
            self._take(tokens)
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((future, tokens))
        self._pump()
        try:
            await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and future.exception() is None:
                self._in_use -= 1
            self._pump()
            raise

    def _take(self, tokens: float) -> None:
        now_s = self._clock()
        self._in_use += 1
        self._unanswered += 1
        self._pace.take(now_s)
        if self._requests:
            self._requests.take(1, now_s)
        if self._tokens:
            self._tokens.take(tokens, now_s)

    def _wait_s(self) -> float:
        """Return seconds until the next call may start; infinite while the window is full: an ending call wakes it."""
        if self._full():
            return float("inf")
        return max(self._waits(self._clock()))

    def _full(self) -> bool:
        return self._in_use >= max(1, int(self.window))

    def _waits(self, now_s: float) -> tuple[float, ...]:
        """Return how many seconds each limit delays the next call, in the order of `_holds`, without the window."""
        return (
            self._cool_s - now_s,
            self._reported_requests.wait_s(self._unanswered, now_s),
            # Tokens are reported after the fact, and a call uses many: only an empty allowance holds calls back.
            self._reported_tokens.wait_s(0, now_s),
            self._requests.wait_s(now_s) if self._requests else 0.0,
            self._tokens.wait_s(now_s) if self._tokens else 0.0,
            # One call at a time is always allowed: without any there would be nothing to learn from.
            self._pace.wait_s(now_s) if self._in_use else 0.0,
        )

    def describe(self) -> str:
        """Return what delays calls, such as `limit 20` or `cooling 12 s: 429`, and how many wait; "" for nothing."""
        now_s = self._clock()
        waits = self._waits(now_s)
        waiting = sum(not future.done() for future, _ in self._waiting)
        if waits[0] > 0:
            held = f"cooling {waits[0]:.0f} s: {self._complaint}"
        elif not waiting:
            return ""
        elif self._full():
            held = f"limit {int(self.window)}"
        elif max(waits) <= 0:
            # The timer that starts them is due.
            return ""
        else:
            held = self._holds(now_s)[waits.index(max(waits))]
        return f"{held}, {waiting} waiting" if waiting else held

    def _holds(self, now_s: float) -> tuple[str, ...]:
        return (
            "cooling",
            f"{self._reported_requests.limit} requests by its headers",
            f"{self._reported_tokens.limit} tokens by its headers",
            f"{self._requests.per_minute:g} requests a minute" if self._requests else "",
            f"{self._tokens.per_minute:g} tokens a minute" if self._tokens else "",
            f"pace {self._pace.rate(now_s):.1f}/s",
        )

    def _pump(self) -> None:
        while self._waiting:
            future, tokens = self._waiting[0]
            if future.done():
                self._waiting.popleft()
                continue
            if (exhausted := self._exhausted()) is not None:
                self._waiting.popleft()
                future.set_exception(exhausted)
                continue
            wait_s = self._wait_s()
            if wait_s > 0:
                self._wake_in(wait_s)
                return
            self._waiting.popleft()
            self._take(tokens)
            future.set_result(None)

    def _exhausted(self) -> SutError | None:
        """Return the final error of a call for which headers ask to wait too long; report a wait that is only long."""
        now_s = self._clock()
        requests_s = self._reported_requests.wait_s(self._unanswered, now_s)
        tokens_s = self._reported_tokens.wait_s(0, now_s)
        wait_s = max(requests_s, tokens_s)
        if wait_s < _LONG_S:
            return None
        what = "requests" if requests_s >= tokens_s else "tokens"
        text = f"{self.name} takes no more {what} until {self._local(wait_s)}, by its headers"
        if wait_s > LONGEST_WAIT_S:
            return SutError(ErrorKind.RATE_LIMIT, text, retryable=False, retry_after_s=wait_s)
        if now_s >= self._reported_until_s:
            self._reported_until_s = now_s + wait_s
            self._say(text)
        return None

    def _local(self, wait_s: float) -> str:
        """Return the local time after a wait; with the day if it is another one."""
        now = self.local_time()
        try:
            then = now + timedelta(seconds=wait_s)
        except OverflowError:
            return "a time beyond the year 9999"
        return f"{then:%H:%M}" if then.date() == now.date() else f"{then:%Y-%m-%d %H:%M}"

    def _wake_in(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if seconds != float("inf"):
            self._timer = asyncio.get_running_loop().call_later(seconds + 0.001, self._pump)

    def heard(self, headers: RateHeaders) -> None:
        """Take the allowances from the headers of a response that has begun."""
        now_s = self._clock()
        self._hears = True
        self._unanswered = max(0, self._unanswered - 1)
        self._reported_requests.hear(headers.requests, now_s)
        self._reported_tokens.hear(headers.tokens, now_s)
        if headers.status < 300:
            self.worked = True
            self._grow()
        self._pump()

    def succeeded(self, tokens: float) -> None:
        """Record a successful call, with the tokens that it used beyond those permitted at its start."""
        self.worked = True
        if self._tokens:
            self._tokens.take(tokens, self._clock())
        if not self._hears:
            self._grow()

    def _grow(self) -> None:
        """Record an accepted call: while the window is in use it doubles per round."""
        if self._adaptive and self._in_use >= _BUSY * int(self.window):
            self.window = min(self._most, self.window + 1.0)

    def blamed(self, error: SutError) -> SutError:
        """Return the error as one of its request alone where the key and the model have worked before.

        Providers answer 403 to a key without rights, and to one input that their moderation refuses.
        """
        if error.status != _FORBIDDEN or error.kind is not ErrorKind.AUTH or not self.worked:
            return error
        return SutError(ErrorKind.BAD_REQUEST, str(error), retryable=False, status=error.status)

    def failed(self, error: SutError, began_s: float, *, answered: bool = False) -> None:
        """Record a call that started at `began_s` and failed; a complaint of the endpoint slows all calls.

        From the first complaint on the pace limits calls, not the window. `answered`: an answer had begun.
        """
        self.worked = self.worked or answered
        if error.kind not in _COMPLAINTS:
            return
        now_s = self._clock()
        cool_s = _COOL_DOWN_S if error.retry_after_s is None else error.retry_after_s
        self._complaint = str(error.status or error.kind)
        self._cool_s = max(self._cool_s, now_s + cool_s)
        if self._pace.refused(began_s, now_s, error.retry_after_s) and cool_s >= 1:
            self._say(f"no new calls for {cool_s:.0f} s: {error.status or error.kind} from {self.name}")
        if self._adaptive:
            self.window = float(self._most)


class CallLimits:
    """The limiters of a run, made on first use."""

    def __init__(
        self,
        rates: Rates,
        most: int,
        clock: Callable[[], float],
        say: Callable[[str], None],
        preflight: PreflightResult = UNTRIED,
    ) -> None:
        """Start without limiters; the same rates hold for each endpoint, key and model.

        `most` is the maximum number of requests under way at once, to all of them together.
        """
        self.slots = Slots(most)
        self.drain = Drain()
        self.breaker = Breaker(clock, self.drain, say, preflight)
        self._rates = rates
        self._most = most
        self._clock = clock
        self._say = say
        self._limiters: dict[tuple[str, str, str], Limiter] = {}

    def of(self, endpoint: Endpoint, model: str) -> Limiter:
        """Return the limiter of a model; simulated models in process and recorded answers have no limits."""
        key = (endpoint.base_url, endpoint.key_fingerprint, model)
        if key not in self._limiters:
            free = endpoint.simulated or not endpoint.timed
            rates = Rates(concurrency=self._most) if free else self._within_slots(endpoint)
            name = f"{model} at {endpoint.base_url}"
            self._limiters[key] = Limiter(name, rates, self._most, self._clock, self._say)
        return self._limiters[key]

    def _within_slots(self, endpoint: Endpoint) -> Rates:
        slots = self._rates.server_slots.get(endpoint.base_url)
        if slots is None:
            return self._rates
        return replace(self._rates, concurrency=min(self._rates.concurrency or self._most, slots))

    @asynccontextmanager
    async def admitted(
        self, limiter: Limiter, tokens: float, reservation: Reservation, endpoint: Endpoint
    ) -> AsyncIterator[float]:
        """Wait until a request of `tokens` tokens may be sent; yields the time then (seconds of the limiter's clock).

        The slot comes last, so that it is held by no request that waits; money is reserved by no request that its
        endpoint does not take yet. Raises UnsentError if the run drains before, BudgetReachedError at the cap, and
        SutError where the endpoint is closed, or reports that it takes no more requests for a long time.
        """
        with self.drain.waiting() as wait:
            async with limiter.call(tokens):
                await reservation.make()
                await self.slots.acquire(limiter.name)
                wait.over()
                try:
                    with self.breaker.calling(endpoint):
                        yield limiter.now_s()
                finally:
                    self.slots.release(limiter.name)

    def describe(self) -> Iterator[str]:
        """Yield what delays calls, for each delayed model."""
        for limiter in self._limiters.values():
            if held := limiter.describe():
                yield f"{limiter.name}: {held}"
