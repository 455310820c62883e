"""A vendor's SDK as the transport: for proxies, credentials and signatures that only the SDK handles.

The SDK builds, signs and sends the request and maps its errors; the bytes that come back are ours to read, over
the same wires. It costs four times what the transport of our own does, so it is never the default.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol, runtime_checkable

from suts.body_end import check_end
from suts.connection import NO_KEY, Connection
from suts.failures import MESSAGE_LIMIT, redacted, refusal
from suts.no_stream import is_no_stream, no_stream, redirected
from suts.posting import Body
from suts.rate_headers import OnHeaders, RateHeaders, read_rate_headers
from suts.reaching import EMPTY, READ_BYTES, SILENT_S, Seen, reach
from suts.settings import Secret, Settings
from suts.sut import Endpoint, ErrorKind, Received, Request, SutError, Wire
from suts.unreachable import unreachable
from suts.wires import WIRES

HEADERS = {"Accept-Encoding": "identity"}
_KEY_HEADERS = ("authorization", "x-api-key")


class Response(Protocol):
    """A response whose head has come."""

    @property
    def headers(self) -> Mapping[str, str]:
        """The response's headers."""
        ...

    @property
    def status_code(self) -> int:
        """The HTTP status."""
        ...

    @property
    def http_request(self) -> object:
        """The request that it answers."""
        ...

    def iter_bytes(self) -> AsyncIterator[bytes]:
        """Return the body as it comes."""
        ...


class WholeResponse(Protocol):
    """A response that was read to its end."""

    @property
    def headers(self) -> Mapping[str, str]:
        """The response's headers."""
        ...

    @property
    def status_code(self) -> int:
        """The HTTP status."""
        ...

    @property
    def content(self) -> bytes:
        """The body."""
        ...


class HttpClient(Protocol):
    """What is used of a client of the HTTP library below an SDK."""

    async def request(
        self, method: str, url: str, *, headers: Mapping[str, str], content: bytes | None
    ) -> WholeResponse:
        """Send a request and return the whole response."""
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...


@dataclass(frozen=True, slots=True)
class Sdk:
    """What is used of a vendor's SDK; `error` is the root of its exceptions.

    `new_http` makes a client of the HTTP library that the SDK itself uses, which follows no redirect: one would carry
    the key along. With it `models_url` and `ask_url` are tried before a run, with these `headers`.
    """

    wire: str
    body: Callable[[Request], Body]
    send: Callable[[Body], AbstractAsyncContextManager[Response]]
    close: Callable[[], Awaitable[None]]
    error: type[Exception]
    new_http: Callable[..., HttpClient]
    models_url: str
    ask_url: str
    headers: Mapping[str, str] = field(repr=False)


class SdkSut:
    """One model behind a vendor's SDK."""

    def __init__(self, model: str, connection: Connection, sdk: Sdk, settings: Settings) -> None:
        """`model` as the endpoint names it."""
        self.name = f"{connection.provider}/{model}"
        self.endpoint: Endpoint = connection.endpoint
        self.wire: Wire = WIRES[sdk.wire]
        self.on_headers: OnHeaders | None = None
        self._sdk = sdk
        self._secrets = dict.fromkeys([connection.secret])
        self._settings = settings
        self._errors: tuple[type[Exception], ...] = (sdk.error, OSError, *transport_errors())

    @property
    def secrets(self) -> tuple[str, ...]:
        """The key, and what else the SDK has sent as one: it may find credentials, and renew them, by itself."""
        return tuple(self._secrets)

    def check(self, request: Request) -> None:
        """Raise SutError for a request that this endpoint has no way to be asked."""
        self._sdk.body(request)

    async def stream(self, request: Request) -> AsyncGenerator[Received]:
        """Ask and yield what arrives. Raises SutError, nothing else."""
        body = self._sdk.body(request)
        now_ns = self._settings.now_ns
        broken, started = None, False
        try:
            async with self._sdk.send(body) as response:
                started = True
                self._note_secrets(response.http_request)
                self._rates(response.headers, response.status_code)
                pieces = response.iter_bytes()
                first = await anext(pieces, b"")
                content_type = response.headers.get("content-type", "")
                if is_no_stream(first, content_type):
                    raise no_stream(first + await _rest(pieces), content_type, *self.secrets)
                if first:
                    yield Received(now_ns(), first)
                async for data in pieces:
                    yield Received(now_ns(), data)
                check_end(response.headers)
        except self._errors as error:
            broken = self._broken(error, started=started)
        # Raised out here so that it drags no exception along that remembers the request's headers.
        if broken is not None:
            raise broken

    async def reach(self) -> None:
        """Raise SutError if the endpoint is known not to answer; the client of `stream` is not used."""
        sdk, http = self._sdk, self._sdk.new_http(timeout=SILENT_S)
        look = partial(fetch, http, sdk.headers)
        try:
            await reach(look, sdk.models_url, sdk.ask_url, own_server=self.endpoint.own_server)
        finally:
            await http.aclose()

    async def aclose(self) -> None:
        """Close the SDK's client."""
        await self._sdk.close()

    def _rates(self, headers: Mapping[str, str], status: int) -> RateHeaders:
        at_ns, unix_s = self._settings.now_ns(), self._settings.unix_s()
        rates = read_rate_headers(headers, status=status, at_ns=at_ns, unix_s=unix_s)
        if self.on_headers is not None:
            self.on_headers(rates)
        return rates

    def _note_secrets(self, request: object) -> None:
        headers = request.headers if isinstance(request, _Sent) else {}
        sent = (headers.get(name, "") for name in _KEY_HEADERS)
        self._secrets |= dict.fromkeys(Secret(text.removeprefix("Bearer ")) for text in sent if text)

    def _broken(self, error: Exception, *, started: bool) -> SutError:
        self._note_secrets(getattr(error, "request", None))
        if isinstance(error, _StatusError):
            response = error.response
            if 300 <= response.status_code < 400 and "location" in response.headers:
                return redirected(response.status_code, response.headers, self._sdk.ask_url, *self.secrets)
            rates = self._rates(response.headers, response.status_code)
            return refusal(
                response.content,
                status=response.status_code,
                retry_after_s=rates.retry_after_s,
                secrets=self.secrets,
            )
        if not started:
            return unreachable(error, self.endpoint.base_url, *self.secrets)
        cause = error.__cause__ or error
        text = redacted(f"{type(cause).__name__}: {cause}".removesuffix(": "), *self.secrets)[:MESSAGE_LIMIT]
        return SutError(ErrorKind.CUT, f"the connection broke within the answer: {text}")


async def fetch(http: HttpClient, headers: Mapping[str, str], method: str, url: str) -> Seen | None:
    """Return the beginning of the response to a request without content; None where the server is silent.

    `http` has a time limit of its own. Raises SutError(CONNECTION).
    """
    content = EMPTY if method == "POST" else None
    errors: tuple[type[Exception], ...] = (OSError, *transport_errors())
    try:
        seen = await http.request(method, url, headers=headers, content=content)
        return Seen(seen.status_code, seen.headers, seen.content[:READ_BYTES])
    except errors as error:
        if type(error).__name__ == "ReadTimeout":
            return None
        broken = unreachable(error, url, *headers.values())
    raise broken


async def _rest(pieces: AsyncIterator[bytes]) -> bytes:
    """Return what is left of a body, up to a limit."""
    body = b""
    async for piece in pieces:
        body += piece
        if len(body) >= READ_BYTES:
            break
    return body


def own_key(connection: Connection) -> Secret | None:
    """Return the key to hand to the SDK; None lets it look for credentials by its own rules."""
    return None if connection.key == NO_KEY and not connection.own_server else connection.key


@runtime_checkable
class _Sent(Protocol):
    """A request as it was sent."""

    @property
    def headers(self) -> Mapping[str, str]: ...


class _Refused(Response, Protocol):
    @property
    def content(self) -> bytes: ...


@runtime_checkable
class _StatusError(Protocol):
    """What both SDKs raise for a status that is no success."""

    response: _Refused
    status_code: int


def transport_errors() -> tuple[type[Exception], ...]:
    """Return what the HTTP libraries below the SDKs raise while a body is read: of httpx, of httpx2, or of both."""
    libraries = [import_module(name) for name in ("httpx", "httpx2") if find_spec(name)]
    return tuple(library.HTTPError for library in libraries)
