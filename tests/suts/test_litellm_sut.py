import importlib.util
import re

import pytest

from suts.settings import Settings
from suts.sut import ErrorKind, Message, Received, Request, SutError, Usage
from suts.wires import WIRES
from tests.suts.conftest import Serve, Step, plain, streaming
from tests.suts.reading import Reading, read, recorded

if importlib.util.find_spec("litellm") is None:
    pytest.skip("the extra litellm is not installed", allow_module_level=True)

from suts.litellm_sut import LitellmSut, litellm_sut

pytestmark = pytest.mark.filterwarnings("ignore")  # litellm's own: deprecated pydantic, unclosed sessions
KEY = "sk-planted-0123456789abcdef"


def made(url: str, model: str) -> LitellmSut:
    return litellm_sut(model, Settings(base_url=url, environment={"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}))


async def received(sut: LitellmSut) -> list[Received]:
    try:
        return [piece async for piece in sut.stream(Request("be brief", (Message("user", "hi"),)))]
    finally:
        await sut.aclose()


async def reading(serve: Serve, model: str, *stream: bytes) -> Reading:
    async with serve(streaming(*stream)) as server:
        pieces = await received(made(server.url, model))
    return read(WIRES["openai-chat"], [piece.data for piece in pieces])


def pieces_of(name: str) -> list[bytes]:
    return re.findall(rb".+?\n\n", recorded(name), re.DOTALL)


@pytest.mark.parametrize(
    "model,name", [("openai/gpt-x", "openai_text"), ("anthropic/claude-sonnet-4-5", "claude_thinking")]
)
async def test_litellm_says_what_the_provider_said(serve: Serve, model: str, name: str) -> None:
    wire = "anthropic-messages" if name.startswith("claude") else "openai-chat"
    expected = read(WIRES[wire], [recorded(name)])

    said = await reading(serve, model, *pieces_of(name))

    assert (said.text, said.reasoning, said.usage) == (expected.text, expected.reasoning, expected.usage)
    assert [(finish.reason, finish.model) for finish in said.finishes] == [("stop", None)]


async def test_usage_that_litellm_makes_up_is_left_out(serve: Serve) -> None:
    without = [piece for piece in pieces_of("openai_text") if b'"choices":[]' not in piece]

    said = await reading(serve, "openai/gpt-4o-mini", *without)

    assert said.text
    assert said.usage is None


async def test_the_charge_is_the_providers_never_litellms(serve: Serve) -> None:
    said = await reading(serve, "openrouter/anthropic/claude-sonnet-4.5", *pieces_of("openrouter_claude"))

    assert isinstance(said.usage, Usage)
    assert said.usage.cost_usd == 0.0321


async def test_a_long_repetition_is_no_loop(serve: Serve) -> None:
    stream = pieces_of("openai_text")

    said = await reading(serve, "openai/gpt-x", *stream[:1], *stream[1:2] * 150, *stream[-3:])

    assert said.text == "I will edit" * 150


@pytest.mark.parametrize(
    "script,kind",
    [
        pytest.param(["reset"], ErrorKind.SERVER, id="before"),
        pytest.param([*streaming(*pieces_of("openai_text")[:3])[:-1], "reset"], ErrorKind.CUT, id="within"),
        pytest.param(streaming(*pieces_of("openai_text")[:3]), ErrorKind.CUT, id="no-finish-reason"),
    ],
)
async def test_a_broken_stream_is_told_as_ours(serve: Serve, script: list[Step], kind: ErrorKind) -> None:
    async with serve(script) as server:
        with pytest.raises(SutError) as caught:
            await received(made(server.url, "openai/gpt-x"))

    assert (caught.value.kind, caught.value.retryable) == (kind, True)


async def test_litellm_does_not_try_again_and_tells_the_wait(serve: Serve) -> None:
    body = b'{"error": {"message": "slow down", "type": "rate_limit_error"}}'

    async with serve(plain(body, status="429 X", headers="Retry-After: 7\r\n")) as server:
        with pytest.raises(SutError, match="slow down") as caught:
            await received(made(server.url, "openai/gpt-x"))

    assert len(server.asked) == 1
    assert (caught.value.kind, caught.value.retry_after_s) == (ErrorKind.RATE_LIMIT, 7.0)
