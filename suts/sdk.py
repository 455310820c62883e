"""A vendor's SDK as the transport: for proxies, credentials and signatures that only the SDK handles.

The SDK builds, signs and sends the request and maps its errors; the bytes that come back are ours to read, over
the same wires. It costs four times what the transport of our own does, so it is never the default.
"""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol, TypeVar, runtime_checkable

from suts.body_end import check_end
from suts.connection import NO_KEY, Connection
from suts.failures import cut, refusal
from suts.network import Route, proxy_refusal
from suts.no_stream import is_no_stream, is_redirect, no_stream, redirected
from suts.posting import Body, sent_sampling
from suts.rate_headers import OnHeaders, RateHeaders, read_rate_headers
from suts.reaching import READ_BYTES, SILENT_S, SilentError, reach
from suts.reply import Reply
from suts.settings import Secret, Settings
from suts.sut import Endpoint, Received, Request, Sampling, SutError, Wire
from suts.unreachable import unreachable
from suts.wires import WIRES

ClientT = TypeVar("ClientT")

HEADERS = {"Accept-Encoding": "identity"}
_KEY_HEADERS = ("authorization", "x-api-key")
# What the HTTP libraries say of a proxy that refuses to connect: `403 Forbidden`.
_PROXY_STATUS = re.compile(r"(\d{3})\b ?(.*)")


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
        self.takes_tools = True
        self.on_headers: OnHeaders | None = None
        self._sdk = sdk
        self._secrets = dict.fromkeys(connection.secrets)
        self._proxy = connection.route.address
        self._settings = settings
        self._errors: tuple[type[Exception], ...] = (sdk.error, OSError, *transport_errors())

    @property
    def secrets(self) -> tuple[str, ...]:
        """The key, the credentials of the proxy, and what else the SDK has sent: it may find credentials by itself."""
        return tuple(self._secrets)

    def check(self, request: Request) -> None:
        """Raise SutError for a request that this endpoint has no way to be asked."""
        self._sdk.body(request)

    def sent(self, request: Request) -> Sampling:
        """Return the sampling as it is sent. Raises SutError for what cannot be asked."""
        return sent_sampling(request.sampling, self._sdk.body(request))

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
        try:
            await reach(
                partial(look, http, sdk.headers, self._proxy),
                sdk.models_url,
                sdk.ask_url,
                own_server=self.endpoint.own_server,
            )
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
            if is_redirect(response.status_code, response.headers):
                return redirected(response.status_code, response.headers, self._sdk.ask_url, *self.secrets)
            rates = self._rates(response.headers, response.status_code)
            return refusal(
                response.content,
                status=response.status_code,
                retry_after_s=rates.retry_after_s,
                secrets=self.secrets,
            )
        if not started:
            return unreached(error, self.endpoint.base_url, self._proxy, *self.secrets)
        return cut(error.__cause__ or error, *self.secrets)


def unreached(error: Exception, url: str, proxy: str, *secrets: str) -> SutError:
    """Return an exception that came instead of a response: what the proxy, if any, or the connection says."""
    cause = error.__cause__ or error
    if refused := _PROXY_STATUS.match(str(cause)) if type(cause).__name__ == "ProxyError" else None:
        return proxy_refusal(int(refused[1]), refused[2], proxy)
    return unreachable(error, url, *secrets, proxy=proxy)


async def look(http: HttpClient, headers: Mapping[str, str], proxy: str, url: str, body: bytes | None = None) -> Reply:
    """Send a small request, GET without a body, and return the beginning of the reply.

    `http` has a time limit of its own; `proxy` is the address of its proxy, "" for none. Raises SilentError, and
    SutError(CONNECTION) where there is no reply.
    """
    errors: tuple[type[Exception], ...] = (OSError, *transport_errors())
    broken: SutError
    try:
        response = await http.request("GET" if body is None else "POST", url, headers=headers, content=body)
        whole = len(response.content) <= READ_BYTES
        return Reply(response.status_code, response.headers, response.content[:READ_BYTES], whole)
    except errors as error:
        silent = type(error).__name__ == "ReadTimeout"
        broken = SilentError(url) if silent else unreached(error, url, proxy, *headers.values())
    raise broken


async def _rest(pieces: AsyncIterator[bytes]) -> bytes:
    """Return what is left of a body, up to a limit."""
    body = b""
    async for piece in pieces:
        body += piece
        if len(body) >= READ_BYTES:
            break
    return body


def http_client(default: type[ClientT], route: Route, *, timeout: float | None = None) -> ClientT:
    """Return an HTTP client for an SDK: proxy and certificates are those of `route`, nothing is read from variables.

    `default` is the SDK's own client class, a subclass of that of httpx or of httpx2; the class below it reads no proxy
    of its own. `timeout` in seconds. Redirects are not followed: one would carry the key along.
    """
    plain: Any = default.__base__
    library = import_module(plain.__module__)
    limits = library.Limits(max_connections=None, max_keepalive_connections=100)
    client: ClientT = plain(
        proxy=route.proxy or None, verify=route.tls or True, trust_env=False, timeout=timeout, limits=limits
    )
    return client


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
