"""Endpoints are tried before a run: at once, in seconds, or for as long as the user waits for a server."""

from dataclasses import dataclass, field, replace

import pytest

from runner.run.breaker import PreflightResult, place_of
from runner.run.options import AskOptions
from runner.run.plan import Plan, Workload
from runner.run.preflight import preflight, try_endpoints
from suts.sut import Endpoint, ErrorKind, Sut, SutError
from suts.variants import SampledSut
from tests.runner.scripted import ENDPOINT, Scripted
from tests.runner.virtual_time import now_ns, now_s, virtually

REFUSED = SutError(ErrorKind.CONNECTION, "connection refused by here")
UNTRUSTED = SutError(ErrorKind.CONNECTION, "certificate of here not trusted", retryable=False)
PAGE = SutError(ErrorKind.MALFORMED, "text/html, not a stream")
LOADING = SutError(ErrorKind.OVERLOADED, "503: Loading model", status=503)
KEY = "sk-planted-0123456789abcdef"


@dataclass
class Tried(Scripted):
    """A system whose endpoint fails with `error` until it is ready, each look taking a time; it is never asked."""

    error: SutError = REFUSED
    ready_s: float = 0.0
    look_s: float = 0.0
    looks: list[float] = field(default_factory=list)
    secrets: tuple[str, ...] = (KEY,)

    async def reach(self) -> None:
        import asyncio

        self.looks.append(now_s())
        await asyncio.sleep(self.look_s)
        if now_s() < self.ready_s:
            raise self.error


def tried(place: str = "here", **fields: object) -> Tried:
    made = Tried([], now_ns, name=f"test/{place}", endpoint=replace(ENDPOINT, base_url=f"https://{place}.example"))
    return replace(made, **fields)  # type: ignore[arg-type]  # a field each


def result_of(*suts: Tried, wait_s: float = 0.0) -> tuple[PreflightResult, float, list[str]]:
    """What was found, after how many seconds, and what was said meanwhile."""
    said: list[str] = []

    async def found() -> tuple[PreflightResult, float]:
        return await try_endpoints(suts, wait_s, said.append), now_s()

    result, seconds = virtually(found())
    assert [sut.asked for sut in suts] == [[] for _ in suts]
    return result, seconds, said


def test_endpoints_are_tried_at_once_and_each_of_them_once() -> None:
    twins = [replace(tried(look_s=3.0), name=f"test/{name}") for name in "ab"]
    other = tried("there", look_s=3.0)

    result, seconds, said = result_of(*twins, other)

    assert (seconds, said) == (3.0, [])
    assert sum(len(twin.looks) for twin in twins) == 1
    assert result == PreflightResult(frozenset({place_of(twins[0].endpoint), place_of(other.endpoint)}))


@pytest.mark.parametrize(
    "error, look_s, looks, seconds",
    [
        pytest.param(REFUSED, 0.0, 3, 1.5, id="refused"),
        pytest.param(REFUSED, 10.0, 1, 10.0, id="no connection in time"),
        pytest.param(REFUSED, 99.0, 1, 12.0, id="a name server that is silent"),
        pytest.param(LOADING, 0.0, 6, 7.5, id="not ready"),
        pytest.param(UNTRUSTED, 0.0, 1, 0.0, id="certificate"),
        pytest.param(PAGE, 0.0, 1, 0.0, id="page"),
    ],
)
def test_an_endpoint_that_does_not_answer_is_known_within_15_seconds(
    error: SutError, look_s: float, looks: int, seconds: float
) -> None:
    sut = tried(error=error, look_s=look_s, ready_s=9_999.0)

    result, passed_s, said = result_of(sut)

    assert (len(sut.looks), said) == (looks, [])
    assert passed_s == pytest.approx(seconds, abs=0.5)
    assert list(result.closed) == [place_of(sut.endpoint)]
    assert not result.reached


@pytest.mark.parametrize("error", [REFUSED, LOADING], ids=["refused", "not ready"])
def test_a_server_is_waited_for(error: SutError) -> None:
    sut = tried(error=error, ready_s=400.0)

    result, seconds, said = result_of(sut, wait_s=600.0)

    assert result == PreflightResult(frozenset({place_of(sut.endpoint)}), wait_s=600.0)
    assert 400 <= seconds < 403
    assert said == [f"waiting up to 600 s for https://here.example: {error}"]


def test_a_server_is_waited_for_no_longer_than_that() -> None:
    result, seconds, _ = result_of(tried(error=LOADING, ready_s=9_999.0), wait_s=60.0)

    assert seconds == pytest.approx(60, abs=3)
    assert [str(error) for error in result.closed.values()] == ["503: Loading model; waited for 60 s"]


def test_what_is_said_of_an_endpoint_holds_no_key() -> None:
    leaking = SutError(ErrorKind.MALFORMED, f"it begins {KEY}")

    result, _, _ = result_of(tried(error=leaking, ready_s=9_999.0))

    assert [KEY in str(error) for error in result.closed.values()] == [False]


def test_the_place_of_an_endpoint_is_its_address_and_its_key() -> None:
    one, other = Endpoint("a", "https://x", "key"), Endpoint("b", "https://x", "other")

    assert place_of(one) == place_of(replace(one, provider="c"))
    assert place_of(one) != place_of(other)


@pytest.mark.parametrize("suffix", ["", "effort=high"])
def test_an_endpoint_that_cannot_be_tried_is_not_known_to_respond(suffix: str) -> None:
    plain: Sut = Scripted([], now_ns)
    sut = SampledSut(plain, suffix) if suffix else plain
    plan = Plan("toy", AskOptions(), (sut,), (), 1, 1, Workload(0, 0, 0, 0), None)

    assert preflight(plan, pytest.fail) == PreflightResult()
