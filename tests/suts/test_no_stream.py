"""What comes in place of a stream is shown by its beginning, in one line, and named for what it is."""

import pytest

from suts.no_stream import beginning, is_no_stream, no_stream, redirected
from suts.sut import ErrorKind

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
