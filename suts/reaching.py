"""Asks an endpoint, before a run, whether it can be asked at all: no model is, and no prompt is sent.

The models list says so, where there is one. A page or a redirect in its place may mean nothing for requests, so they
are confirmed by a request without a body, which every API refuses.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from suts.failures import refusal
from suts.no_stream import beginning, is_no_stream, no_stream, redirected
from suts.sut import ErrorKind, SutError

# A server that accepts a connection and is silent for longer may be busy with a prompt.
SILENT_S = 4.0
READ_BYTES = 65_536
# What a server, or a gateway before it, says while it starts.
NOT_READY = frozenset({502, 503, 504})
EMPTY = b"{}"
_MISSING = frozenset({404, 405})


@dataclass(frozen=True, slots=True)
class Seen:
    """The beginning of a response; header names ignore the case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def content_type(self) -> str:
        """The declared type of the body."""
        return self.headers.get("content-type", "")

    @property
    def redirects(self) -> bool:
        """Whether it names another place."""
        return 300 <= self.status < 400 and "location" in self.headers

    @property
    def json(self) -> bool:
        """Whether the body begins as JSON does."""
        return self.body.lstrip()[:1] in (b"{", b"[")

    @property
    def page(self) -> bool:
        """Whether it is text under a good status, neither JSON nor events."""
        return self.status < 300 and not self.json and is_no_stream(self.body, self.content_type)


# `(method, url)` to the response, None where the server is silent; raises SutError where there is no connection.
Fetch = Callable[[str, str], Awaitable[Seen | None]]


async def reach(fetch: Fetch, models_url: str, ask_url: str, *, own_server: bool) -> None:
    """Return if requests to `ask_url` can be expected to be answered, whatever their answer will be.

    Raises SutError: CONNECTION; BAD_REQUEST, NOT_FOUND or MALFORMED for what is no API; for a server of one's own that
    is not ready what its status means, such as OVERLOADED.
    """
    seen, url = await fetch("GET", models_url), models_url
    if seen is not None and (seen.redirects or seen.page):
        seen, url = await fetch("POST", ask_url), ask_url
        _refuse_missing(seen, ask_url)
    elif seen is not None and b'"llamacpp"' in seen.body:
        # llama.cpp lists its models before they are loaded.
        seen = await fetch("GET", models_url.removesuffix("models") + "health")
    if seen is None:
        return
    if seen.redirects:
        raise redirected(seen.status, seen.headers, url)
    if seen.page:
        raise no_stream(seen.body, seen.content_type)
    if own_server and seen.status in NOT_READY:
        raise _not_ready(seen)


def _refuse_missing(seen: Seen | None, url: str) -> None:
    """Raise SutError if there is nothing to ask: a page or a redirect stood in place of the models, too."""
    if seen is not None and seen.status in _MISSING:
        text = f"{seen.status} at {url}: check --base-url"
        raise SutError(ErrorKind.NOT_FOUND, text, retryable=False, status=seen.status)


def _not_ready(seen: Seen) -> SutError:
    if seen.json:
        return refusal(seen.body, status=seen.status)
    return SutError(ErrorKind.OVERLOADED, f"{seen.status}: {beginning(seen.body)}", status=seen.status)
