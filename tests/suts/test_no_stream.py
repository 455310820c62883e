"""What comes in place of a stream is shown by its beginning, in one line, and named for what it is."""

import pytest

from suts.no_stream import beginning, is_no_stream, no_stream, redirected
from suts.registry import resolve
from suts.settings import Settings
from suts.sut import ErrorKind, Message, Request, SutError
from tests.suts.conftest import Loopback, Serve, plain

SSE = "text/event-stream"
KEY = "sk-planted-0123456789abcdef"


@pytest.mark.parametrize("content_type", [SSE, "text/plain", ""])
@pytest.mark.parametrize(
    "head",
    [b"data: {}", b"d", b"event: x", b": ping", b":", b"id", b"retry: 1", b"\n\ndata", b"\xef\xbb\xbfdata:", b""],
)
def test_a_first_piece_of_events_is_a_stream_whatever_its_type(head: bytes, content_type: str) -> None:
    assert not is_no_stream(head, content_type)


@pytest.mark.parametrize(
    "head, content_type",
    [
        pytest.param(b"<!doctype html>", "text/html", id="a page"),
        pytest.param(b"\n  <html>", SSE, id="a page that claims to be a stream"),
        pytest.param(b'{"error": 1}', SSE, id="an object"),
        pytest.param(b'[{"error": 1}]', "application/json", id="a list"),
        pytest.param(b"upstream connect error", "text/plain", id="text"),
        pytest.param(b"dear user", "", id="text that begins like a field"),
    ],
)
def test_a_first_piece_of_anything_else_is_none(head: bytes, content_type: str) -> None:
    assert is_no_stream(head, content_type)


@pytest.mark.parametrize(
    "body, kind, text",
    [
        pytest.param(
            b"<html><head><style>p {}</style><title>Sign\nin</title></head><p>\x1b[31mHello",
            ErrorKind.MALFORMED,
            "text/html, not a stream: check --base-url; it begins Sign in [31mHello",
            id="page",
        ),
        pytest.param(b"<br>", ErrorKind.MALFORMED, "it begins with nothing that can be shown", id="empty page"),
        pytest.param(
            b'[{"error": {"message": "quota", "code": 429}}]', ErrorKind.RATE_LIMIT, "429: quota", id="list of an error"
        ),
        pytest.param(b'{"detail": "no such route"}', ErrorKind.SERVER, "no such route", id="detail"),
        pytest.param(
            b'{"error": {"message": "who are you", "type": "authentication_error"}}',
            ErrorKind.AUTH,
            "authentication_error: who are you",
            id="error",
        ),
        pytest.param(
            b'{"content": [{"type": "text", "text": "hi"}]}', ErrorKind.MALFORMED, "one object", id="whole message"
        ),
        pytest.param(b'{"choices": []}', ErrorKind.MALFORMED, "one object", id="whole completion"),
        pytest.param(b'{"choi', ErrorKind.MALFORMED, "one object", id="half an object"),
    ],
)
def test_a_body_is_shown_by_its_beginning_and_named(body: bytes, kind: ErrorKind, text: str) -> None:
    error = no_stream(body, "text/html; charset=utf-8" if body.startswith(b"<") else "application/json")

    assert error.kind is kind
    assert text in str(error)
    assert str(error).isprintable()


def test_the_beginning_is_short_and_without_keys() -> None:
    shown = beginning(f"hello {KEY} {'x' * 500}".encode(), KEY)

    assert KEY not in shown
    assert shown.startswith("hello ")
    assert len(shown) <= 120


@pytest.mark.parametrize(
    "location, target",
    [
        ("https://other.example/v1/chat/completions?key=1", "https://other.example/v1:"),
        ("/api/v1/chat/completions/", "http://here.example:81/api/v1:"),
        ("https://user:secret@other.example:8443/v1/messages", "https://other.example:8443:"),
        ("http://[::1]:9/v1/models", "http://[::1]:9/v1:"),
    ],
)
def test_a_redirect_names_the_base_url_that_it_leads_to(location: str, target: str) -> None:
    error = redirected(302, {"location": location}, "http://here.example:81/v1/chat/completions")

    assert (error.status, error.retryable) == (302, False)
    assert str(error) == f"302: redirects to {target} give that as --base-url"


@pytest.mark.parametrize("location", ["", "http://[", "http://x:port/"])
def test_a_redirect_to_nowhere_names_no_url(location: str) -> None:
    assert str(redirected(301, {"location": location}, "http://here.example/v1/models")) == "301: check --base-url"


ROUTES = {
    "llamacpp": "/chat/completions",
    "openai": "/chat/completions",
    "openai-sdk": "/chat/completions",
    "anthropic": "/v1/messages",
    "anthropic-sdk": "/v1/messages",
}
ASKED = Request("be brief", (Message("user", "hello"),))
routes = pytest.mark.parametrize("provider", ROUTES)


async def refused(provider: str, server: Loopback) -> SutError:
    keys = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY, "LLAMACPP_API_KEY": KEY}
    sut = resolve(f"{provider}/some-model", Settings(base_url=server.url, environment=keys))
    try:
        with pytest.raises(SutError) as caught:
            _ = [piece async for piece in sut.stream(ASKED)]
    finally:
        await sut.aclose()
    return caught.value


@routes
async def test_a_page_in_place_of_an_answer_is_shown_without_the_key(serve: Serve, provider: str) -> None:
    page = f"<html><title>Hello</title>Your key: {KEY}</html>".encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(page)}\r\n\r\n"

    async with serve([head.encode() + page]) as server:
        error = await refused(provider, server)

    assert (error.kind, error.retryable) == (ErrorKind.MALFORMED, True)
    assert str(error) == "text/html, not a stream: check --base-url; it begins Hello Your key: [redacted]"


@routes
async def test_an_error_object_in_place_of_an_answer_keeps_its_kind(serve: Serve, provider: str) -> None:
    async with serve(plain(b' {"error": {"message": "slow down", "type": "rate_limit_error"}}')) as server:
        error = await refused(provider, server)

    assert (error.kind, str(error)) == (ErrorKind.RATE_LIMIT, "rate_limit_error: slow down")


@routes
async def test_no_request_follows_a_redirect(serve: Serve, provider: str) -> None:
    async with serve(plain(b"{}")) as elsewhere:
        location = f"{elsewhere.url}/v1{ROUTES[provider].removeprefix('/v1')}"
        head = f"HTTP/1.1 308 X\r\nContent-Length: 0\r\nLocation: {location}\r\n\r\n"
        async with serve([head.encode()]) as server:
            error = await refused(provider, server)

    base = f"{elsewhere.url}" + ("" if "messages" in ROUTES[provider] else "/v1")
    assert (error.status, error.retryable, len(server.asked), elsewhere.connections) == (308, False, 1, 0)
    assert str(error) == f"308: redirects to {base}: give that as --base-url"
