"""Asks an endpoint, before a run, whether it can be asked at all: no model is, and no prompt is sent.

The models list says so, where there is one. A page or a redirect in its place may mean nothing for requests, so they
are confirmed by a request without a body, which every API refuses.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress

from suts.failures import refusal
from suts.no_stream import beginning, no_stream, redirected
from suts.reply import Reply
from suts.sut import ErrorKind, SutError

# A server that accepts a connection and is silent for longer may be busy with a prompt.
SILENT_S = 4.0
READ_BYTES = 65_536
# What a server, or a gateway before it, says while it starts.
NOT_READY = frozenset({502, 503, 504})
_EMPTY = b"{}"
_MISSING = frozenset({404, 405})


class SilentError(SutError):
    """A server accepted a connection and sends nothing."""

    def __init__(self, url: str) -> None:
        """`url` is what was asked for."""
        super().__init__(ErrorKind.TIMEOUT, f"no reply from {url}")


# `(url, body)` to the reply, of a GET where the body is None; raises SilentError, and SutError without a connection.
Look = Callable[[str, bytes | None], Awaitable[Reply]]


async def reach(look: Look, models_url: str, ask_url: str, *, own_server: bool) -> None:
    """Return if requests to `ask_url` can be expected to be answered, whatever their answer will be.

    Raises SutError: CONNECTION; BAD_REQUEST, NOT_FOUND or MALFORMED for what is no API; for a server of one's own that
    is not ready what its status means, such as OVERLOADED.
    """
    with suppress(SilentError):
        reply, url = await look(models_url, None), models_url
        if reply.redirects or reply.page:
            reply, url = await look(ask_url, _EMPTY), ask_url
            _refuse_missing(reply, ask_url)
        elif b'"llamacpp"' in reply.body:
            # llama.cpp lists its models before they are loaded.
            reply = await look(models_url.removesuffix("models") + "health", None)
        if reply.redirects:
            raise redirected(reply.status, reply.headers, url)
        if reply.page:
            raise no_stream(reply.body, reply.content_type)
        if own_server and reply.status in NOT_READY:
            raise _not_ready(reply)


def _refuse_missing(reply: Reply, url: str) -> None:
    """Raise SutError if there is nothing to ask: a page or a redirect stood in place of the models, too."""
    if reply.status in _MISSING:
        text = f"{reply.status} at {url}: check --base-url"
        raise SutError(ErrorKind.NOT_FOUND, text, retryable=False, status=reply.status)


def _not_ready(reply: Reply) -> SutError:
    if reply.begins_as_json:
        return refusal(reply.body, status=reply.status)
    return SutError(ErrorKind.OVERLOADED, f"{reply.status}: {beginning(reply.body)}", status=reply.status)
