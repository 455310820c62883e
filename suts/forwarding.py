"""A proxy on a loopback port that passes the requests of a coding agent on to models, with keys that the agent lacks.

Bodies pass unchanged and unbuffered; who made the proxy sees each piece first. Only the paths of models are served.
"""

import hashlib
import re
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

import aiohttp
import orjson
from aiohttp import web

from suts.agent_parts import WorkingFolder
from suts.connection import NO_KEY, Connection, is_loopback
from suts.simulated.stated_truths import truth_fields
from suts.upstreams import GOOGLE, ModelCall, Upstreams, model_call

# Small requests that cost nothing.
_FREE = MappingProxyType({"/v1/messages/count_tokens": "anthropic", "/v1/models": "openai", "/v1beta/models": GOOGLE})
_COUNTING = re.compile(r"/v1(?:beta|alpha)?/models/.+:countTokens")
# What models are called that only simulated servers have: these are given the name of the attempt.
_SIMULATED = "sim/"
_LARGEST_BODY = 64 << 20
_LARGEST_REFUSAL = 1 << 20
# What the connection owns, what names a key, and what would hide the bytes or name the attempt to a simulated server.
_OWN = frozenset(
    [
        "host",
        "content-length",
        "content-encoding",
        "connection",
        "keep-alive",
        "transfer-encoding",
        "te",
        "upgrade",
        "expect",
        "accept-encoding",
        "authorization",
        "x-api-key",
        "x-goog-api-key",
        "cookie",
        "x-evals-case",
        "x-evals-attempt",
    ]
)
_RETURNED = frozenset({"content-type", "retry-after", "request-id", "x-request-id", "anthropic-organization-id"})


class CallObserver(Protocol):
    """Who sees the requests of an agent; the number of a call comes from `sent`."""

    async def sent(self, call: ModelCall, body: bytes) -> int:
        """Permit a request, and return its number; or never return, where none is permitted any more."""
        ...

    def status(self, number: int, status: int) -> None:
        """Take the status of the answer."""
        ...

    def got(self, number: int, data: bytes) -> None:
        """Take a piece of the answer."""
        ...

    def done(self, number: int) -> None:
        """The answer has ended, or its connection has."""
        ...


@asynccontextmanager
async def forwarding(
    listener: socket.socket, upstreams: Upstreams, observer: CallObserver, folder: WorkingFolder, secret: str = ""
) -> AsyncIterator[None]:
    """Serve a listening socket for the length of a block; the socket is closed with it.

    With a secret, only paths that begin with it are served.
    """
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=30.0)
    async with aiohttp.ClientSession(timeout=timeout, auto_decompress=False) as session:
        proxy = _Proxy(session, upstreams, observer, folder, f"/{secret}" if secret else "")
        app = web.Application(client_max_size=_LARGEST_BODY)
        app.router.add_route("*", "/{path:.*}", proxy.handle)
        runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.0)
        await runner.setup()
        try:
            await web.SockSite(runner, listener).start()
            yield
        finally:
            await runner.cleanup()


@dataclass(frozen=True, slots=True)
class _Proxy:
    session: aiohttp.ClientSession
    upstreams: Upstreams
    observer: CallObserver
    folder: WorkingFolder
    root: str
    # The servers that the folder's truth was stated to.
    stated: set[str] = field(default_factory=set)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        path = self._path(request)
        if request.method in {"GET", "HEAD"} and path == "/":
            return web.Response()
        body = await request.read()
        call = model_call(path, body) if request.method == "POST" else None
        provider = _provider_of_free(path) if call is None else call.provider
        connection = self.upstreams.of(provider) if provider else None
        if connection is None:
            return web.json_response({"error": {"message": f"there is no {request.method} {path}"}}, status=404)
        url, headers = _posted(request, self.root, connection, provider)
        if call is None:
            return await self._free(request, connection, url, headers, body)
        if is_loopback(connection.base_url) and call.model.startswith(_SIMULATED):
            case_id = await self._stated_to(connection)
            headers |= {"x-evals-case": case_id, "x-evals-attempt": str(self.folder.number)}
        number = await self.observer.sent(call, body)
        try:
            return await self._passed_on(request, connection, url, headers, body, number)
        finally:
            self.observer.done(number)

    def _path(self, request: web.Request) -> str:
        """Return the path that a request is for, "" where it does not know the secret."""
        path = request.rel_url.path
        return (path.removeprefix(self.root) or "/") if path.startswith(self.root) else ""

    async def _passed_on(
        self,
        request: web.Request,
        connection: Connection,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        number: int,
    ) -> web.StreamResponse:
        try:
            async with self._request("POST", connection, url, headers, body) as answer:
                self.observer.status(number, answer.status)
                if answer.status >= 300:
                    return await self._refusal(answer, number)
                response = web.StreamResponse(status=answer.status, headers=_returned(answer))
                await response.prepare(request)
                async for piece in answer.content.iter_any():
                    self.observer.got(number, piece)
                    await response.write(piece)
                await response.write_eof()
                return response
        except aiohttp.ClientError as error:
            self.observer.status(number, 502)
            message = self.upstreams.redactor.text(str(error))
            return web.json_response({"error": {"message": message}}, status=502)

    async def _stated_to(self, connection: Connection) -> str:
        """Return the name of the attempt for a simulated server, after the truth was stated under that name."""
        truth = self.folder.truth
        if truth is None:
            return self.folder.case_id
        fields = {"case_id": self.folder.case_id, **truth_fields(truth)}
        # Attempts of one step may begin at other texts.
        name = f"{self.folder.case_id}#{hashlib.sha256(orjson.dumps(fields)).hexdigest()[:16]}"
        if connection.base_url not in self.stated:
            url = f"{connection.base_url.removesuffix('/v1')}/_sim/truths"
            async with self.session.post(url, data=orjson.dumps({name: fields})) as answer:
                if answer.status >= 300:
                    return self.folder.case_id
            self.stated.add(connection.base_url)
        return name

    async def _refusal(self, answer: aiohttp.ClientResponse, number: int) -> web.Response:
        """Return a refusal in one piece, without a key that it may repeat."""
        data = await answer.content.read(_LARGEST_REFUSAL)
        clean = self.upstreams.redactor.text(data.decode("utf-8", "replace")).encode()
        self.observer.got(number, clean)
        return web.Response(status=answer.status, body=clean, headers=_returned(answer))

    async def _free(
        self, request: web.Request, connection: Connection, url: str, headers: Mapping[str, str], body: bytes
    ) -> web.Response:
        try:
            async with self._request(request.method, connection, url, headers, body) as answer:
                text = (await answer.content.read(_LARGEST_REFUSAL)).decode("utf-8", "replace")
                clean = self.upstreams.redactor.text(text).encode()
                return web.Response(status=answer.status, body=clean, headers=_returned(answer))
        except (aiohttp.ClientError, TimeoutError):
            return web.Response(status=502)

    def _request(
        self, method: str, connection: Connection, url: str, headers: Mapping[str, str], body: bytes
    ) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
        route = connection.route
        return self.session.request(
            method,
            url,
            data=body or None,
            headers=headers,
            allow_redirects=False,
            proxy=route.proxy or None,
            ssl=route.tls or True,
        )


def _posted(request: web.Request, root: str, connection: Connection, provider: str) -> tuple[str, dict[str, str]]:
    """Return where a request goes, and with which headers; `root` is what the proxy's paths begin with.

    A key in the query is not passed on.
    """
    server, path = connection.base_url.removesuffix("/v1"), request.rel_url.raw_path.removeprefix(root)
    query = "&".join(part for part in request.rel_url.raw_query_string.split("&") if not part.startswith("key="))
    headers = {name: value for name, value in request.headers.items() if name.lower() not in _OWN}
    headers["Accept-Encoding"] = "identity"
    if connection.key != NO_KEY:
        headers |= _key_header(provider, connection.key)
    return f"{server}{path}{f'?{query}' if query else ''}", headers


def _provider_of_free(path: str) -> str:
    """Return the provider of a request that costs nothing; "" for a path that is not passed on."""
    return GOOGLE if _COUNTING.fullmatch(path) else _FREE.get(path, "")


def _key_header(provider: str, key: str) -> dict[str, str]:
    match provider:
        case "anthropic":
            return {"x-api-key": key}
        case "google":
            return {"x-goog-api-key": key}
        case _:
            return {"Authorization": f"Bearer {key}"}


def _returned(answer: aiohttp.ClientResponse) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name.lower() in _RETURNED}
