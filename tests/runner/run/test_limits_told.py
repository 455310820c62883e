"""What holds calls back is told: the window, a cool-down, rates asked for, rates told, the pace."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from runner.run.limits import CallLimits, Limiter, Rates
from runner.run.progress import Progress
from runner.run.slots import Slots
from suts.rate_headers import Allowance, RateHeaders
from suts.sut import Endpoint, ErrorKind, SutError
from tests.runner.virtual_time import now_ns, now_s, virtually

ENDPOINT = Endpoint("test", "https://one.example", "key")


async def hold(limiter: Limiter, tokens: float = 1) -> None:
    async with limiter.call(tokens):
        await asyncio.sleep(60)


def told(rates: Rates, calls: int, before: Callable[[Limiter], None] = lambda _limiter: None, most: int = 80) -> str:
    """What a limiter tells half a second after so many calls were begun at once."""

    async def ask() -> str:
        limiter = Limiter("model", rates, most, now_s, lambda _line: None)
        before(limiter)
        tasks = [asyncio.create_task(hold(limiter)) for _ in range(calls)]
        await asyncio.sleep(0.5)
        words = limiter.describe()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return words

    return virtually(ask())


def refused(seconds: float, status: int = 429) -> Callable[[Limiter], None]:
    def fail(limiter: Limiter) -> None:
        kind = ErrorKind.RATE_LIMIT if status == 429 else ErrorKind.OVERLOADED
        limiter.failed(SutError(kind, "no", retry_after_s=seconds, status=status), now_s())

    return fail


def heard(limiter: Limiter) -> None:
    limiter.heard(RateHeaders(now_ns(), 200, Allowance(limit=50, remaining=2, reset_s=60)))


@pytest.mark.parametrize(
    "words,rates,calls,before",
    [
        pytest.param("", Rates(), 5, None, id="nothing holds"),
        pytest.param("", Rates(concurrency=5), 5, None, id="a full window that nobody waits for"),
        pytest.param("limit 20, 3 waiting", Rates(), 23, None, id="the window"),
        pytest.param("limit 4, 6 waiting", Rates(concurrency=4), 10, None, id="the number given"),
        pytest.param("cooling 12 s: 429, 2 waiting", Rates(), 2, refused(12.5), id="a cool-down"),
        pytest.param("cooling 29 s: 529", Rates(), 0, refused(29.5, 529), id="a cool-down that nobody waits for"),
        pytest.param("30 requests a minute, 2 waiting", Rates(rpm=30), 3, None, id="requests a minute"),
        pytest.param("60 tokens a minute, 1 waiting", Rates(tpm=60), 2, None, id="tokens a minute"),
        pytest.param("50 requests by its headers, 3 waiting", Rates(), 5, heard, id="what a response told"),
    ],
)
def test_what_holds_calls_back_is_named(
    words: str, rates: Rates, calls: int, before: Callable[[Limiter], None] | None
) -> None:
    assert told(rates, calls, before or (lambda _limiter: None)) == words


def test_after_a_cool_down_the_pace_is_named() -> None:
    async def ask() -> str:
        limiter = Limiter("model", Rates(), 80, now_s, lambda _line: None)
        tasks = [asyncio.create_task(hold(limiter)) for _ in range(10)]
        await asyncio.sleep(2)
        limiter.failed(SutError(ErrorKind.RATE_LIMIT, "no", retry_after_s=0.1), 0.0)
        tasks += [asyncio.create_task(hold(limiter)) for _ in range(10)]
        await asyncio.sleep(0.27)
        words = limiter.describe()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return words

    words = virtually(ask())

    assert words.startswith("pace ")
    assert words.endswith(" waiting")


def _lines(work: Callable[[CallLimits], Awaitable[None]]) -> list[str]:
    async def ask() -> list[str]:
        limits = CallLimits(Rates(concurrency=1), 80, now_s, lambda _line: None)
        await work(limits)
        return list(Progress([], Slots(4), limits=limits.describe, clock=now_s).lines())

    return virtually(ask())


def test_progress_shows_each_model_that_is_held_back() -> None:
    async def complain(limits: CallLimits) -> None:
        limits.of(ENDPOINT, "idle")
        refused(30)(limits.of(ENDPOINT, "busy"))

    assert _lines(complain)[-1] == "limited: busy at https://one.example: cooling 30 s: 429"


def test_progress_says_nothing_of_limits_that_hold_nobody() -> None:
    async def rest(limits: CallLimits) -> None:
        limits.of(ENDPOINT, "idle")

    assert not any(line.startswith("limited") for line in _lines(rest))
