"""A system under test that is one POST: what the providers of our own share.

The body is encoded again for each attempt: 60 kB take 0.04 ms, a thirtieth of what the stream costs, which no cache
of bodies is worth.
"""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import partial

import orjson

from suts.connection import Connection
from suts.http import HttpStreams
from suts.rate_headers import OnHeaders
from suts.reaching import READ_BYTES, SILENT_S, reach
from suts.reply import Reply
from suts.routing import provider_field
from suts.settings import Settings
from suts.sut import Endpoint, ErrorKind, Received, Request, Sampling, SutError, Wire
from suts.wires import WIRES

Body = dict[str, object]
_NO_UPSTREAM = 503

# The two names of the limit of output tokens on OpenAI's wire: reasoning models take the first alone.
LIMIT_NAMES = ("max_completion_tokens", "max_tokens")
_STOP = frozenset({"stop", "stop_sequences", "stopSequences"})
# Where Google's API has these parameters.
_NESTED = "generationConfig"


@dataclass(frozen=True, slots=True)
class Api:
    """What one endpoint wants: `body` gives a request's JSON, or raises SutError for what cannot be asked.

    Of an endpoint that also takes prompts, `prompt_url` and `prompt_body` are the same for a request with one; its
    answers are read by the same wire. `infill_url` and `infill_body` are for a prompt with a suffix, where that has a
    place of its own. `takes_routing` states that the endpoint is a router with upstreams to choose. `models_url` is the
    list of its models.
    """

    wire: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: Callable[[Request], Body]
    prompt_url: str = ""
    prompt_body: Callable[[Request], Body] | None = None
    takes_routing: bool = False
    models_url: str = ""
    infill_url: str = ""
    infill_body: Callable[[Request], Body] | None = None

    @property
    def base(self) -> str:
        """The URL that the paths of the API follow, such as `http://host/v1`."""
        return self.models_url.removesuffix("/models")


class HttpSut:
    """One model of one endpoint."""

    def __init__(self, model: str, connection: Connection, api: Api, settings: Settings) -> None:
        """`model` as the endpoint names it; it connects to nothing yet."""
        self.name = f"{connection.provider}/{model}"
        self.endpoint: Endpoint = connection.endpoint
        self.wire: Wire = WIRES[api.wire]
        self.takes_prompts = api.prompt_body is not None
        self.takes_tools = True
        self.takes_routing = api.takes_routing
        self.secrets = connection.secrets
        self.model = model
        self.infills = api.infill_body is not None
        self.api = api
        self._new_http = partial(
            HttpStreams,
            secret=connection.secret,
            route=connection.route,
            now_ns=settings.now_ns,
            unix_s=settings.unix_s,
        )
        self.http = self._new_http()
        self._listed: Reply | None = None

    @property
    def on_headers(self) -> OnHeaders | None:
        """The callback that gets the rate limits of each response's headers."""
        return self.http.on_headers

    @on_headers.setter
    def on_headers(self, callback: OnHeaders | None) -> None:
        """Set the callback; None removes it."""
        self.http.on_headers = callback

    def check(self, request: Request) -> None:
        """Raise SutError for a request that this endpoint has no way to be asked."""
        self.posted(request)

    def sent(self, request: Request) -> Sampling:
        """Return the sampling as it is sent. Raises SutError for what cannot be asked."""
        return sent_sampling(request.sampling, self.posted(request)[1])

    async def reach(self) -> None:
        """Raise SutError if the endpoint is known not to answer; the connections of `stream` are not used."""
        http = self._new_http()
        self._listed = None

        async def look(url: str, body: bytes | None) -> Reply:
            reply = await http.exchange(url, self.api.headers, body, silent_s=SILENT_S, limit=READ_BYTES)
            if url == self.api.models_url and reply.whole:
                self._listed = reply
            return reply

        try:
            await reach(look, self.api.models_url, self.api.url, own_server=self.endpoint.own_server)
        finally:
            await http.aclose()

    def stream(self, request: Request) -> AsyncGenerator[Received]:
        """Ask and yield what arrives. Raises SutError, nothing else."""
        url, body = self.posted(request)
        stream = self.http.post_stream(url, self.api.headers, encoded(body))
        return stream if request.routing is None else _pinned(stream)

    async def exchange(self, path: str, body: Body | None = None) -> Reply:
        """Send a small request that is no question, and return the reply; a path from `/` on is of the server's root.

        The models list is returned once as `reach` has read it. Raises SutError where there is no connection.
        """
        if path == "models" and self._listed is not None:
            reply, self._listed = self._listed, None
            return reply
        base = self.api.base
        url = f"{base.removesuffix('/v1')}{path}" if path.startswith("/") else f"{base}/{path}"
        return await self.http.exchange(url, self.api.headers, None if body is None else encoded(body))

    def posted(self, request: Request) -> tuple[str, Body]:
        """Return where a request is posted to, and what. Raises SutError for what cannot be asked."""
        if request.routing is None:
            return self._unrouted(request)
        if not self.takes_routing:
            raise SutError(ErrorKind.BAD_REQUEST, f"{self.name} takes no upstream; remove it", retryable=False)
        url, body = self._unrouted(request)
        return url, body | {"provider": provider_field(request.routing)}

    def _unrouted(self, request: Request) -> tuple[str, Body]:
        api = self.api
        if request.prompt is None:
            return api.url, api.body(request)
        if api.prompt_body is None:
            raise SutError(ErrorKind.BAD_REQUEST, f"{self.name} takes no prompts", retryable=False)
        if request.suffix is not None and api.infill_body is not None:
            return api.infill_url, api.infill_body(request)
        return api.prompt_url, api.prompt_body(request)

    async def aclose(self) -> None:
        """Close the connections."""
        await self.http.aclose()


def sent_sampling(sampling: Sampling, body: Body) -> Sampling:
    """Return the sampling that a body states: what the API or the model does not take is not in it."""
    nested = body.get(_NESTED)
    body = nested if isinstance(nested, dict) else body
    return replace(
        sampling,
        temperature=sampling.temperature if "temperature" in body else None,
        seed=sampling.seed if "seed" in body else None,
        stop=sampling.stop if body.keys() & _STOP else (),
        limit_name=next((name for name in LIMIT_NAMES if name in body), ""),
    )


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
