"""An endpoint is sent what it takes and no storm: measured against simulated servers, in virtual time."""

import asyncio
from dataclasses import dataclass, field
from functools import partial

import pytest
from tenacity import AsyncRetrying, stop_after_attempt, wait_random_exponential

from runner.run.limits import CallLimits, Limiter, Rates
from runner.run.pacing import Bucket, CallRate, ReportedLimit
from suts.rate_headers import Allowance, RateHeaders
from suts.simulated.rate_limit import TokenBucket
from suts.sut import Endpoint, ErrorKind, SutError
from tests.runner.virtual_time import now_ns, now_s, virtually

ENDPOINT = Endpoint("test", "https://one.example", "key")
EMPTY = Allowance(limit=1, remaining=0, reset_s=30)


@dataclass
class Server:
    """Admits by a token bucket, answers in `latency_s`; tells of its limits in headers, or only when to come again."""

    rps: float = 10.0
    burst: int = 10
    latency_s: float = 1.0
    headers: bool = True
    retry_after: bool = True
    sent: int = 0
    rejected: int = 0
    peak: int = 0
    _under_way: int = 0
    _bucket: TokenBucket = field(init=False)

    def __post_init__(self) -> None:
        self._bucket = TokenBucket(self.rps, self.burst, 0)

    async def answer(self, limiter: Limiter) -> None:
        self.sent += 1
        admitted = self._bucket.admit(now_ns())
        told = Allowance(self.burst, self._bucket.remaining, self._bucket.reset_s) if self.headers else Allowance()
        if not admitted:
            self.rejected += 1
            limiter.heard(RateHeaders(now_ns(), 429, told))
            again = self._bucket.retry_s if self.retry_after else None
            raise SutError(ErrorKind.RATE_LIMIT, "too many", retry_after_s=again, status=429)
        self._under_way += 1
        self.peak = max(self.peak, self._under_way)
        await asyncio.sleep(self.latency_s / 20)
        limiter.heard(RateHeaders(now_ns(), 200, told))
        await asyncio.sleep(self.latency_s * 19 / 20)
        self._under_way -= 1


def limiter_of(rates: Rates, most: int = 80) -> Limiter:
    return Limiter("model", rates, most, now_s, lambda _line: None)


async def attempts(count: int, server: Server, limiter: Limiter, slots: int) -> float:
    """Make so many attempts as the asker does, with retries; the seconds they took."""
    free = asyncio.Semaphore(slots)
    jitter = wait_random_exponential(multiplier=0.5, max=60)

    async def once() -> None:
        async with limiter.call(1_000) as began_s:
            try:
                await server.answer(limiter)
            except SutError as error:
                limiter.failed(error, began_s)
                raise
            limiter.succeeded(100)

    async def attempt() -> None:
        async with free:
            await AsyncRetrying(wait=jitter, stop=stop_after_attempt(8), reraise=True)(once)

    await asyncio.gather(*(attempt() for _ in range(count)))
    return now_s()


@pytest.mark.parametrize("rates", [pytest.param(Rates(), id="adaptive"), pytest.param(Rates(80), id="80 given")])
@pytest.mark.parametrize("latency_s", [0.2, 1.0, 5.0])
@pytest.mark.parametrize(
    "headers, retry_after, slowest, most_rejected",
    [
        pytest.param(True, True, 1.3, 0.05, id="headers"),
        pytest.param(False, True, 1.6, 0.15, id="Retry-After only"),
        pytest.param(False, False, 1.6, 0.15, id="nothing told"),
    ],
)
def test_ten_requests_a_second_are_found_and_kept(
    rates: Rates, latency_s: float, headers: bool, retry_after: bool, slowest: float, most_rejected: float
) -> None:
    server = Server(latency_s=latency_s, headers=headers, retry_after=retry_after)

    took_s = virtually(attempts(500, server, limiter_of(rates), 80))

    ideal_s = (500 - 10) / 10 + latency_s
    # Eighty at once do not know of one another's fate: what the first burst costs is not the limiter's doing.
    first = 70 if rates.concurrency else 0
    assert took_s < slowest * ideal_s
    assert (server.rejected - first) / server.sent < most_rejected


def test_long_answers_do_not_slow_the_search_for_the_pace() -> None:
    server = Server(latency_s=20, headers=False)

    took_s = virtually(attempts(500, server, limiter_of(Rates(), 400), 400))

    assert took_s < 1.2 * (490 / 10 + 20)


def test_complaints_that_mean_nothing_slow_a_run_but_do_not_stop_it() -> None:
    class Whimsical(Server):
        async def answer(self, limiter: Limiter) -> None:
            self.sent += 1
            if self.sent % 5 == 0:
                raise SutError(ErrorKind.RATE_LIMIT, "no reason", retry_after_s=0.05, status=429)
            await asyncio.sleep(0.15)
            limiter.heard(RateHeaders(now_ns(), 200))

    took_s = virtually(attempts(150, Whimsical(), limiter_of(Rates()), 80))

    assert took_s < 40


def test_an_endpoint_that_never_complains_is_given_all_there_is() -> None:
    server = Server(rps=1e6, burst=10**6)

    virtually(attempts(2_000, server, limiter_of(Rates(), 200), 200))

    assert server.peak == 200
    assert server.rejected == 0


def test_the_window_starts_at_twenty() -> None:
    async def waiting() -> int:
        server, limiter = Server(rps=1e6, burst=10**6), limiter_of(Rates(), 200)
        calls = asyncio.gather(*(attempts(1, server, limiter, 1) for _ in range(200)))
        await asyncio.sleep(0.01)
        peak = server.peak
        await calls
        return peak

    assert virtually(waiting()) == 20


@pytest.mark.parametrize("given", [1, 7])
def test_a_number_given_is_never_exceeded(given: int) -> None:
    server = Server(rps=1e6, burst=10**6)

    virtually(attempts(100, server, limiter_of(Rates(concurrency=given)), 80))

    assert server.peak == given


def test_requests_a_minute_that_were_asked_for_are_kept() -> None:
    server = Server(rps=1e6, burst=10**6)

    took_s = virtually(attempts(120, server, limiter_of(Rates(rpm=60)), 80))

    assert 118 < took_s < 125


def test_tokens_a_minute_that_were_asked_for_are_kept_with_those_of_the_answers() -> None:
    server = Server(rps=1e6, burst=10**6)

    took_s = virtually(attempts(60, server, limiter_of(Rates(tpm=60_000)), 80))

    asked_s = 60 * 1_000 / 1_000
    answered_s = 60 * 100 / 1_000
    assert asked_s - 3 < took_s < asked_s + answered_s + 5


def test_all_callers_wait_out_one_complaint_which_is_told_once() -> None:
    said: list[str] = []
    starts: list[float] = []

    async def calls() -> None:
        limiter = Limiter("gpt-x at https://one.example", Rates(), 80, now_s, said.append)

        async def one() -> None:
            async with limiter.call(0) as began_s:
                starts.append(now_s())
                if now_s() < 1:
                    limiter.failed(SutError(ErrorKind.RATE_LIMIT, "no", retry_after_s=40, status=429), began_s)
                await asyncio.sleep(0.1)

        await asyncio.gather(*(one() for _ in range(60)))

    virtually(calls())

    assert said == ["no new calls for 40 s: 429 from gpt-x at https://one.example"]
    assert not [start for start in starts if 0 < start < 40]


def test_a_fault_that_is_no_complaint_changes_nothing() -> None:
    async def window() -> float:
        limiter = limiter_of(Rates())
        limiter.failed(SutError(ErrorKind.SERVER, "500", status=500), 0.0)
        async with limiter.call(0) as began_s:
            assert began_s == 0.0
        return limiter.window

    assert virtually(window()) == 20


def test_a_caller_that_is_cancelled_while_it_waits_leaves_its_place_to_the_next() -> None:
    async def third_starts() -> float:
        limiter = limiter_of(Rates(concurrency=1))
        hold = partial(_hold, limiter)
        first, second, third = (asyncio.create_task(hold()) for _ in range(3))
        await asyncio.sleep(0.5)
        second.cancel()
        await asyncio.gather(first, second, third, return_exceptions=True)
        return third.result()

    assert virtually(third_starts()) == pytest.approx(1.0)


def test_a_caller_that_is_cancelled_just_as_it_may_go_gives_its_place_back() -> None:
    async def next_starts() -> float:
        limiter = limiter_of(Rates(concurrency=1))
        async with limiter.call(0):
            waiting = asyncio.create_task(_hold(limiter))
            await asyncio.sleep(1)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        return await asyncio.wait_for(_hold(limiter), 60)

    assert virtually(next_starts()) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "requests, tokens",
    [pytest.param(EMPTY, Allowance(), id="requests"), pytest.param(Allowance(), EMPTY, id="tokens")],
)
def test_what_a_response_told_holds_the_next_call_back(requests: Allowance, tokens: Allowance) -> None:
    async def second_starts() -> float:
        limiter = limiter_of(Rates())
        async with limiter.call(0):
            limiter.heard(RateHeaders(now_ns(), 200, requests, tokens))
        return await _hold(limiter)

    assert virtually(second_starts()) == pytest.approx(30, abs=0.1)


def test_tokens_that_are_left_are_not_shared_out_among_calls_without_a_response() -> None:
    async def ninth_starts() -> float:
        limiter = limiter_of(Rates(concurrency=20))
        async with limiter.call(0):
            limiter.heard(RateHeaders(now_ns(), 200, tokens=Allowance(limit=1_000, remaining=3, reset_s=30)))
        return max(await asyncio.gather(*(_hold(limiter) for _ in range(9))))

    assert virtually(ninth_starts()) == 0


async def _hold(limiter: Limiter) -> float:
    async with limiter.call(0):
        began_s = now_s()
        await asyncio.sleep(1)
        return began_s


def test_one_limiter_serves_a_model_with_a_key_at_a_place() -> None:
    limits = CallLimits(Rates(), 80, now_s, print)
    other_key = Endpoint("test", "https://one.example", "another key")

    assert limits.of(ENDPOINT, "a") is limits.of(ENDPOINT, "a")
    assert len({limits.of(ENDPOINT, "a"), limits.of(ENDPOINT, "b"), limits.of(other_key, "a")}) == 3


@pytest.mark.parametrize(
    "endpoint",
    [
        pytest.param(Endpoint("sim", "in-process", "", simulated=True), id="simulated in process"),
        pytest.param(Endpoint("recorded", "recorded", "", timed=False), id="recorded"),
    ],
)
def test_what_runs_in_process_has_no_limits_to_find(endpoint: Endpoint) -> None:
    limits = CallLimits(Rates(rpm=1), 300, now_s, print)

    assert limits.of(endpoint, "m").window == 300


def test_a_bucket_lets_one_second_of_its_rate_go_at_once() -> None:
    bucket = Bucket(per_minute=120)

    waits = []
    for _ in range(4):
        waits.append(bucket.wait_s(10.0))
        bucket.take(1, 10.0)

    assert waits == pytest.approx([0, 0, 0.5, 1.0])


def test_a_debt_is_waited_for() -> None:
    bucket = Bucket(per_minute=60)

    bucket.take(10, 0.0)

    assert bucket.wait_s(0.0) == pytest.approx(10)
    assert bucket.wait_s(10.0) == pytest.approx(0)


@pytest.mark.parametrize(
    "allowance, unanswered, age_s, wait_s",
    [
        pytest.param(Allowance(), 50, 0, 0, id="nothing told"),
        pytest.param(Allowance(10, 5, 0.5), 0, 0, 0, id="some left"),
        pytest.param(Allowance(10, 0, 1.0), 0, 0, 0.1, id="used up: the limit refills evenly"),
        pytest.param(Allowance(10, 0, 1.0), 0, 0.1, 0, id="used up a while ago"),
        pytest.param(Allowance(10, 3, 0.7), 3, 0, 0.1, id="what has no response yet may not be counted"),
        pytest.param(Allowance(10, 0, 1.0), 9, 1.0, 0, id="whole again"),
        pytest.param(Allowance(10, 0, 1.0), 10, 1.0, 0.05, id="whole again, but all of it is under way"),
        pytest.param(Allowance(None, 0, None), 0, 0, 0, id="no reset told"),
    ],
)
def test_what_a_response_told_is_looked_at_ahead(
    allowance: Allowance, unanswered: int, age_s: float, wait_s: float
) -> None:
    told = ReportedLimit()

    told.hear(allowance, now_s=100.0)

    assert told.wait_s(unanswered, 100.0 + age_s) == pytest.approx(wait_s, abs=1e-9)


def test_the_pace_is_free_until_the_first_complaint() -> None:
    pace = CallRate()

    for _ in range(100):
        pace.take(0.0)

    assert pace.wait_s(0.0) == 0


def test_a_complaint_sets_the_pace_a_bit_below_what_was_taken() -> None:
    pace = CallRate()
    for _ in range(20):
        pace.take(0.0)

    news = [pace.refused(0.0, 0.1, None) for _ in range(10)]

    assert news == [True] + [False] * 9
    assert pace.rate(0.1) == pytest.approx(9.0)
    assert pace.rate(20.1) == pytest.approx(18.0)


def test_one_complaint_never_more_than_halves_the_pace() -> None:
    pace = CallRate()
    for _ in range(20):
        pace.take(0.0)
    pace.refused(0.0, 0.0, None)
    before = pace.rate(60.0)

    pace.take(60.0)
    pace.refused(60.0, 60.1, None)

    assert pace.rate(60.1) == pytest.approx(before / 2, rel=0.01)


def test_an_endpoint_is_asked_as_often_as_it_tells_to_come_again() -> None:
    pace = CallRate()
    pace.take(0.0)

    pace.refused(0.0, 0.0, 0.05)

    assert pace.rate(0.0) == pytest.approx(20)
