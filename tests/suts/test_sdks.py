import re

import pytest

from suts.rate_headers import HeaderSource, RateHeaders
from suts.registry import resolve
from suts.settings import Settings, UnknownSutError
from suts.sut import ErrorKind, Message, Received, Request, Sut, SutError
from suts.wires import WIRES
from tests.suts.conftest import Serve, Step, plain, streaming
from tests.suts.reading import read, recorded

KEY = "sk-planted-0123456789abcdef"
ASKED = Request("be brief", (Message("user", "hello"),))
STREAMS = {"openai-sdk": "openai_text", "anthropic-sdk": "claude_thinking"}
both = pytest.mark.parametrize("provider", STREAMS)


def made(provider: str, url: str) -> Sut:
    keys = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}
    return resolve(f"{provider}/some-model", Settings(base_url=url, environment=keys))


async def received(sut: Sut) -> list[Received]:
    try:
        return [piece async for piece in sut.stream(ASKED)]
    finally:
        await sut.aclose()


def pieces_of(name: str) -> list[bytes]:
    return re.findall(rb".+?\n\n", recorded(name), re.DOTALL)


@both
async def test_an_sdk_brings_the_bytes_that_the_wire_reads(serve: Serve, provider: str) -> None:
    stream = pieces_of(STREAMS[provider])

    async with serve(streaming(*stream)) as server:
        sut = made(provider, server.url)
        pieces = await received(sut)

    assert b"".join(piece.data for piece in pieces) == b"".join(stream)
    assert KEY in "".join(server.asked[0].headers.values())


@both
async def test_an_sdk_sends_what_our_own_transport_sends(serve: Serve, provider: str) -> None:
    async with serve(streaming(*pieces_of(STREAMS[provider]))) as server:
        for name in (provider, provider.removesuffix("-sdk")):
            await received(made(name, server.url))

    by_sdk, by_us = server.asked
    assert by_sdk.path.removeprefix("/v1") == by_us.path.removeprefix("/v1")
    assert sorted(by_sdk.body) == sorted(by_us.body)


@both
async def test_an_sdk_does_not_try_again_and_its_error_is_ours(serve: Serve, provider: str) -> None:
    body = b'{"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}}'
    told: list[RateHeaders] = []

    async with serve(plain(body, status="429 X", headers="Retry-After: 7\r\n")) as server:
        sut = made(provider, server.url)
        assert isinstance(sut, HeaderSource)
        sut.on_headers = told.append
        with pytest.raises(SutError, match="429 rate_limit_error: slow down") as caught:
            await received(sut)

    assert len(server.asked) == 1
    assert (caught.value.kind, caught.value.retry_after_s) == (ErrorKind.RATE_LIMIT, 7.0)
    assert [each.status for each in told] == [429]


@pytest.mark.parametrize(
    "script,kind",
    [
        pytest.param(["reset"], ErrorKind.CONNECTION, id="before"),
        pytest.param([*streaming(b"data: {\n\n")[:2], "reset"], ErrorKind.CUT, id="within"),
    ],
)
@both
async def test_a_broken_connection_is_told_as_ours(
    serve: Serve, provider: str, script: list[Step], kind: ErrorKind
) -> None:
    async with serve(script) as server:
        with pytest.raises(SutError) as caught:
            await received(made(provider, server.url))

    assert (caught.value.kind, caught.value.retryable) == (kind, True)
    assert caught.value.__context__ is None


@both
def test_an_sdk_without_credentials_is_refused(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE"):
        monkeypatch.delenv(name, raising=False)

    with pytest.raises(UnknownSutError):
        resolve(f"{provider}/some-model", Settings())


async def test_openais_sdk_reads_what_our_wire_reads(serve: Serve) -> None:
    import openai

    ours = read(WIRES["openai-chat"], [recorded("openai_text")])
    text, usage = "", None

    async with serve(streaming(*pieces_of("openai_text"))) as server:
        client = openai.AsyncOpenAI(api_key=KEY, base_url=server.url, max_retries=0)
        async for chunk in await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "hello"}], stream=True
        ):
            text += "".join(choice.delta.content or "" for choice in chunk.choices)
            usage = chunk.usage or usage
        await client.close()

    assert text == ours.text
    assert usage is not None
    assert usage.prompt_tokens_details is not None
    assert ours.usage is not None
    assert usage.prompt_tokens == (ours.usage.input_tokens or 0) + (ours.usage.cache_read_tokens or 0)
    assert usage.completion_tokens == ours.usage.output_tokens


async def test_anthropics_sdk_reads_what_our_wire_reads(serve: Serve) -> None:
    import anthropic

    ours = read(WIRES["anthropic-messages"], [recorded("claude_thinking")])

    async with serve(streaming(*pieces_of("claude_thinking"))) as server:
        client = anthropic.AsyncAnthropic(api_key=KEY, base_url=server.url, max_retries=0)
        async with client.messages.stream(
            model="m", max_tokens=9, messages=[{"role": "user", "content": "hello"}]
        ) as stream:
            message = await stream.get_final_message()
        await client.close()

    thinking, text = message.content
    assert text.type == "text"
    assert text.text == ours.text
    assert thinking.type == "thinking"
    assert thinking.thinking == ours.reasoning
    assert ours.usage is not None
    assert message.usage.input_tokens == ours.usage.input_tokens
    assert message.usage.cache_read_input_tokens == ours.usage.cache_read_tokens
    assert message.usage.cache_creation_input_tokens == ours.usage.cache_write_tokens
    assert message.usage.output_tokens == ours.usage.output_tokens
    assert message.stop_reason == ours.finishes[0].reason
