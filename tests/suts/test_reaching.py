"""Whether an endpoint can be asked is found out by a look at its models, without a question and without a redirect."""

import pytest

from suts.registry import resolve
from suts.settings import Settings
from suts.sut import ErrorKind, Reachable, SutError
from tests.suts.conftest import Loopback, Serve, Step, plain

KEY = "sk-planted-0123456789abcdef"
ASKS = {
    "llamacpp": "/chat/completions",
    "openai": "/chat/completions",
    "openai-sdk": "/chat/completions",
    "anthropic": "/v1/messages",
    "anthropic-sdk": "/v1/messages",
}
routes = pytest.mark.parametrize("provider", ASKS)
MODELS = plain(b'{"object": "list", "data": []}')
HTML = [b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 12\r\n\r\n<p>Portal</p"]
SILENT: list[Step] = [9.0]
NO_SUCH_PAGE = [b"HTTP/1.1 404 X\r\nContent-Type: text/html\r\nContent-Length: 12\r\n\r\n<p>Portal</p"]
BAD_REQUEST = plain(b'{"error": {"message": "messages are missing"}}', status="400 X")
LOADING = plain(b'{"error": {"message": "Loading model"}}', status="503 X")


async def reach(provider: str, server: Loopback) -> SutError | None:
    keys = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY, "LLAMACPP_API_KEY": KEY}
    sut = resolve(f"{provider}/some-model@temperature=1", Settings(base_url=server.url, environment=keys))
    assert isinstance(sut, Reachable)
    try:
        await sut.reach()
    except SutError as error:
        return error
    finally:
        await sut.aclose()
    return None


@routes
@pytest.mark.parametrize(
    "script",
    [
        pytest.param(MODELS, id="models"),
        pytest.param(plain(b"{}", status="401 X"), id="a key that it does not know"),
        pytest.param(NO_SUCH_PAGE, id="no list of models"),
        pytest.param(plain(b"{}", status="500 X"), id="a list that fails"),
        pytest.param(SILENT, id="silence"),
    ],
)
async def test_a_server_that_responds_can_be_asked(
    serve: Serve, provider: str, script: list[Step], monkeypatch: pytest.MonkeyPatch
) -> None:
    if script == SILENT:
        # It bounds the time to connect, too, which takes longer on a busy machine.
        for module in ("suts.posting", "suts.sdk"):
            monkeypatch.setattr(f"{module}.SILENT_S", 1.0)

    async with serve(script) as server:
        assert await reach(provider, server) is None

    (asked,) = server.asked
    assert asked.path == ("/models" if "openai" in provider or provider == "llamacpp" else "/v1/models")
    assert KEY in (asked.headers.get("authorization", "") + asked.headers.get("x-api-key", ""))
    assert asked.body == b""


@routes
async def test_a_page_for_the_models_is_confirmed_by_an_empty_request(serve: Serve, provider: str) -> None:
    async with serve(HTML, BAD_REQUEST) as server:
        assert await reach(provider, server) is None

    assert [(asked.path, asked.body) for asked in server.asked[1:]] == [(ASKS[provider], b"{}")]


@routes
async def test_pages_for_everything_are_no_api(serve: Serve, provider: str) -> None:
    async with serve(HTML) as server:
        error = await reach(provider, server)

    assert error is not None
    assert str(error) == "text/html, not a stream: check --base-url; it begins Portal"


@routes
async def test_a_page_for_the_models_and_nothing_to_ask_is_no_api(serve: Serve, provider: str) -> None:
    async with serve(HTML, NO_SUCH_PAGE) as server:
        error = await reach(provider, server)

    assert error is not None
    assert (error.kind, error.retryable) == (ErrorKind.NOT_FOUND, False)
    assert str(error) == f"404 at {server.url}{ASKS[provider]}: check --base-url"


@routes
async def test_a_redirect_is_named_and_the_key_does_not_follow_it(serve: Serve, provider: str) -> None:
    async with serve(MODELS) as elsewhere:
        path = ASKS[provider]
        head = f"HTTP/1.1 307 X\r\nContent-Length: 0\r\nLocation: {elsewhere.url}/moved{path}\r\n\r\n"
        async with serve([head.encode()]) as server:
            error = await reach(provider, server)

    assert error is not None
    base = f"{elsewhere.url}/moved"
    assert str(error) == f"307: redirects to {base}: give that as --base-url"
    assert (len(server.asked), elsewhere.connections) == (2, 0)


@routes
async def test_a_server_of_ones_own_that_is_not_ready_says_so(serve: Serve, provider: str) -> None:
    async with serve(LOADING) as server:
        error = await reach(provider, server)

    assert error is not None
    assert (error.kind, error.retryable, str(error)) == (ErrorKind.OVERLOADED, True, "503: Loading model")


async def test_a_gateway_without_its_server_says_so(serve: Serve) -> None:
    async with serve([b"HTTP/1.1 502 X\r\nContent-Length: 20\r\n\r\n<h1>Bad Gateway</h1>"]) as server:
        error = await reach("llamacpp", server)

    assert error is not None
    assert str(error) == "502: Bad Gateway"


async def test_llamacpp_lists_its_models_before_they_are_loaded(serve: Serve) -> None:
    models = plain(b'{"data": [{"id": "m", "owned_by": "llamacpp"}]}')

    async with serve(models, LOADING) as server:
        error = await reach("llamacpp", server)

    assert error is not None
    assert error.status == 503
    assert [asked.path for asked in server.asked] == ["/models", "/health"]
