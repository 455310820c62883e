"""A system under test that is one POST: what the providers of our own share.

The body is encoded again for each attempt: 60 kB take 0.04 ms, a thirtieth of what the stream costs, which no cache
of bodies is worth.
"""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field

import orjson

from suts.connection import Connection
from suts.http import HttpStreams
from suts.rate_headers import OnHeaders
from suts.routing import provider_field
from suts.settings import Settings
from suts.sut import Endpoint, ErrorKind, Received, Request, SutError, Wire
from suts.wires import WIRES

Body = dict[str, object]
_NO_UPSTREAM = 503


@dataclass(frozen=True, slots=True)
class Api:
    """What one endpoint wants: `body` gives a request's JSON, or raises SutError for what cannot be asked.

    Of an endpoint that also takes prompts, `prompt_url` and `prompt_body` are the same for a request with one; its
    answers are read by the same wire. `takes_routing` states that the endpoint is a router with upstreams to choose.
    """

    wire: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: Callable[[Request], Body]
    prompt_url: str = ""
    prompt_body: Callable[[Request], Body] | None = None
    takes_routing: bool = False


class HttpSut:
    """One model of one endpoint."""

    def __init__(self, model: str, connection: Connection, api: Api, settings: Settings) -> None:
        """`model` as the endpoint names it; it connects to nothing yet."""
        self.name = f"{connection.provider}/{model}"
        self.endpoint: Endpoint = connection.endpoint
        self.wire: Wire = WIRES[api.wire]
        self.takes_prompts = api.prompt_body is not None
        self.takes_routing = api.takes_routing
        self.secrets = connection.secrets
        self._api = api
        self._http = HttpStreams(
            secret=connection.secret,
            route=connection.route,
            now_ns=settings.now_ns,
            unix_s=settings.unix_s,
        )

    @property
    def on_headers(self) -> OnHeaders | None:
        """The callback that gets the rate limits of each response's headers."""
        return self._http.on_headers

    @on_headers.setter
    def on_headers(self, callback: OnHeaders | None) -> None:
        """Set the callback; None removes it."""
        self._http.on_headers = callback

    def check(self, request: Request) -> None:
        """Raise SutError for a request that this endpoint has no way to be asked."""
        self._posted(request)

    def stream(self, request: Request) -> AsyncGenerator[Received]:
        """Ask and yield what arrives. Raises SutError, nothing else."""
        url, body = self._posted(request)
        stream = self._http.post_stream(url, self._api.headers, encoded(body))
        return stream if request.routing is None else _pinned(stream)

    def _posted(self, request: Request) -> tuple[str, Body]:
        """Return where to, and what. Raises SutError for what cannot be asked."""
        if request.routing is None:
            return self._unrouted(request)
        if not self.takes_routing:
            raise SutError(ErrorKind.BAD_REQUEST, f"{self.name} takes no upstream; remove it", retryable=False)
        url, body = self._unrouted(request)
        return url, body | {"provider": provider_field(request.routing)}

    def _unrouted(self, request: Request) -> tuple[str, Body]:
        api = self._api
        if request.prompt is None:
            return api.url, api.body(request)
        if api.prompt_body is None:
            raise SutError(ErrorKind.BAD_REQUEST, f"{self.name} takes no prompts", retryable=False)
        return api.prompt_url, api.prompt_body(request)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()


async def _pinned(stream: AsyncGenerator[Received]) -> AsyncGenerator[Received]:
    """Pass on a stream; a router that has no upstream for the pins answers 503, and would do so again."""
    async with aclosing(stream):
        try:
            async for received in stream:
                yield received
        except SutError as error:
            error.retryable = error.retryable and error.status != _NO_UPSTREAM
            raise


def encoded(body: Body) -> bytes:
    """Return the body as JSON. Raises SutError for a text that is no Unicode (half a surrogate pair)."""
    try:
        # A copy of the right size: orjson's own bytes keep room for ten times as many, as long as they live.
        return bytes(memoryview(orjson.dumps(body)))
    except orjson.JSONEncodeError as error:
        raise SutError(ErrorKind.BAD_REQUEST, f"the request cannot be sent: {error}", retryable=False) from error
