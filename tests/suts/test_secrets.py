import asyncio
import traceback
from types import TracebackType

import pytest

from suts.connection import connect
from suts.registry import resolve
from suts.settings import Secret, Settings
from suts.sut import Message, Request, Sut, SutError
from tests.suts.conftest import Serve, Step, plain, streaming

KEY = "planted-0123456789abcdef"
ECHO = f'{{"error": {{"message": "Incorrect API key provided: {KEY}.", "type": "invalid_request_error"}}}}'.encode()
ASKED = Request("", (Message("user", "hello"),))
every_provider = pytest.mark.parametrize(
    "provider", ["openai", "openrouter", "anthropic", "openai-sdk", "anthropic-sdk", "vllm"]
)


def made(provider: str, url: str) -> Sut:
    names = ("OPENAI_API_KEY", "OPENROUTER_API_KEY", "ANTHROPIC_API_KEY", "VLLM_API_KEY")
    return resolve(f"{provider}/some-model", Settings(base_url=url, environment=dict.fromkeys(names, KEY)))


def shown(error: BaseException | None) -> str:
    """Everything that a traceback with local variables could print, of the whole chain of exceptions."""
    texts = []
    while error is not None:
        texts += [str(error), repr(error), *traceback.format_exception(error), *ours(error.__traceback__)]
        error = error.__cause__ or error.__context__
    return "\n".join(texts)


def ours(tb: TracebackType | None) -> list[str]:
    """The local variables of every frame but the test's own, which holds what the server was asked."""
    return [repr(frame.f_locals) for frame, _ in traceback.walk_tb(tb) if frame.f_code.co_filename != __file__]


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(plain(ECHO, status="401 X"), id="echo"),
        pytest.param(plain(KEY.encode() * 3, status="500 X"), id="echo-in-text"),
        pytest.param(["reset"], id="reset"),
        pytest.param([*streaming(b"data: a\n\n")[:2], "reset"], id="cut"),
    ],
)
@every_provider
async def test_no_error_shows_the_key(serve: Serve, provider: str, script: list[Step]) -> None:
    async with serve(script) as server:
        sut = made(provider, server.url)
        with pytest.raises(SutError) as caught:
            async for _ in sut.stream(ASKED):
                pass
        await sut.aclose()

    assert not server.asked or KEY in "".join(server.asked[0].headers.values())
    assert KEY not in shown(caught.value)


@every_provider
def test_no_system_shows_its_key(provider: str) -> None:
    sut = made(provider, "http://127.0.0.1:9")

    texts = [sut.name, repr(sut), repr(sut.endpoint), repr(vars(sut))]
    asyncio.run(sut.aclose())

    assert KEY not in "".join(texts)


def test_settings_and_connections_do_not_show_keys() -> None:
    settings = Settings(provider="openai", environment={"OPENAI_API_KEY": KEY})

    assert KEY not in repr(settings)
    assert KEY not in repr(connect(settings))
    assert connect(settings).key == KEY


def test_a_secret_is_unreadable_in_whatever_holds_it() -> None:
    assert KEY not in repr({"Authorization": Secret(f"Bearer {KEY}")})
