import asyncio

import pytest

from suts.rate_headers import HeaderSource, RateHeaders
from suts.registry import resolve
from suts.settings import Settings
from suts.simulated.config import ServerConfig
from suts.simulated.faults import Faults
from suts.simulated.server import serving
from suts.sut import ErrorKind, Message, Received, Request, Sut, SutError
from tests.suts.reading import Reading, read

PROVIDERS = {
    "openai": "/v1",
    "openai-responses": "/v1",
    "openrouter": "/v1",
    "anthropic": "",
    "google": "",
    "openai-sdk": "/v1",
    "anthropic-sdk": "",
}
QUICK = "ttft_ms=5&gap_ms=0&pieces=20&jitter=0"
ASKED = Request("be brief", (Message("user", "hello"),))
every_provider = pytest.mark.parametrize("provider", PROVIDERS)


def made(provider: str, url: str) -> Sut:
    return resolve(f"{provider}/careful", Settings(base_url=url + PROVIDERS[provider]))


async def answer(sut: Sut) -> Reading:
    pieces: list[Received] = [piece async for piece in sut.stream(ASKED)]
    return read(sut.wire, [piece.data for piece in pieces])


@every_provider
async def test_a_served_model_answers_over_every_provider(provider: str) -> None:
    async with serving(ServerConfig(parameters=QUICK)) as server:
        sut = made(provider, server.url)
        said = await answer(sut)
        await sut.aclose()

    assert said.text
    assert said.usage is not None
    assert said.usage.output_tokens
    assert [finish.reason for finish in said.finishes] == [said.finishes[0].reason]


@pytest.mark.parametrize(
    "fault,kind",
    [
        ("429", ErrorKind.RATE_LIMIT),
        ("500", ErrorKind.SERVER),
        ("529", ErrorKind.OVERLOADED),
        ("reset", ErrorKind.CUT),
        ("malformed", ErrorKind.MALFORMED),
        ("cut", ErrorKind.CUT),
        ("stall", ErrorKind.CUT),
    ],
)
@every_provider
async def test_every_fault_is_a_retryable_error_of_its_kind(provider: str, fault: str, kind: ErrorKind) -> None:
    config = ServerConfig(parameters=QUICK, faults=Faults({fault: 1.0}), stall_s=0.05, retry_after_s=3)
    async with serving(config) as server:
        sut = made(provider, server.url)
        with pytest.raises(SutError) as caught:
            await answer(sut)
        await sut.aclose()

    assert (caught.value.kind, caught.value.retryable) == (kind, True)
    assert caught.value.retry_after_s == (3.0 if fault == "429" else None)


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
async def test_the_limits_of_a_server_are_told(provider: str) -> None:
    told: list[RateHeaders] = []

    async with serving(ServerConfig(parameters=QUICK, rps=5, burst=2)) as server:
        sut = made(provider, server.url)
        assert isinstance(sut, HeaderSource)
        sut.on_headers = told.append
        for _ in range(2):
            await answer(sut)
        with pytest.raises(SutError) as caught:
            await answer(sut)
        await sut.aclose()

    assert [(each.status, each.requests.remaining) for each in told] == [(200, 1), (200, 0), (429, 0)]
    assert caught.value.retry_after_s is not None
    assert 0 < caught.value.retry_after_s <= 1


async def test_two_hundred_streams_are_read_at_once() -> None:
    async with serving(ServerConfig(parameters="ttft_ms=2500&gap_ms=0&pieces=20&jitter=0")) as server:
        sut = made("openai", server.url)
        said = await asyncio.gather(*(answer(sut) for _ in range(200)))
        peak = server.journal.peak
        await sut.aclose()

    assert peak == 200
    assert all(each.text for each in said)
