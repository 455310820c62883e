"""Posts a request and yields the response as it arrives: the transport of the systems under test of our own.

aiohttp was chosen by measurement. Client CPU per 200-chunk stream at 50 streams: aiohttp 1.25 ms, httpx2 2.6 ms,
httpx 4.5-5.7 ms, anthropic SDK 5.3-6.0 ms, openai SDK 16-18 ms (with its raw bytes 4.4-5.4 ms); and the pools of
httpx and httpx2 scan their connections, so a request costs twice that at 500 streams, where aiohttp's costs the
same. `python -m tests.bench.bench_wires` repeats the comparison with aiohttp alone.
"""

import io
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import suppress
from functools import partial
from types import SimpleNamespace

import aiohttp

from suts.body_end import check_end
from suts.failures import cut, redacted, refusal
from suts.network import DIRECT, Route, proxy_refusal
from suts.no_stream import is_no_stream, is_redirect, no_stream, redirected
from suts.rate_headers import OnHeaders, RateHeaders, read_rate_headers
from suts.reaching import SilentError
from suts.reply import Reply
from suts.sut import Received, SutError
from suts.unreachable import CONNECT_S, unreachable

_ERROR_BODY_LIMIT = 65_536
_REPLY_LIMIT = 4 << 20
# A small request has no deadlines of the runner's; one token of a slow model takes less than this.
_SMALL_S = 60.0
# aiohttp warns when more than this is sent from one bytes object.
_PIECEMEAL_BYTES = 1 << 20
# Compression would hold pieces back and so falsify the clocks.
_HEADERS = {"Accept": "text/event-stream", "Accept-Encoding": "identity", "User-Agent": "evals"}


class HttpStreams:
    """The connections to one endpoint; the runner owns concurrency and retries, there are none here.

    `now_ns` stamps arrivals; `unix_s` reads limits that are reported as points in time; `secret` is removed from the
    messages of errors, while pieces are what came: who records an answer removes the key from it (`redacted_stream`).
    `route` names the proxy and the trusted certificates; neither variables nor a .netrc are read here.
    """

    def __init__(
        self,
        *,
        secret: str = "",
        route: Route = DIRECT,
        now_ns: Callable[[], int] = time.monotonic_ns,
        unix_s: Callable[[], float] = time.time,
    ) -> None:
        """Connect to nothing yet: the session belongs to the event loop of the first request."""
        self.on_headers: OnHeaders | None = None
        self._secret = secret
        self._route = route
        self._now_ns = now_ns
        self._unix_s = unix_s
        self._session: aiohttp.ClientSession | None = None

    async def post_stream(self, url: str, headers: Mapping[str, str], body: bytes) -> AsyncGenerator[Received]:
        """Send `body` and yield each piece of the response with its arrival, before all a mark of the sending.

        Raises SutError: for a status that is no success, an answer that is no stream, and a connection that
        cannot be made (CONNECTION) or breaks while the response is being read (CUT), which includes a body that
        nothing but the end of its connection delimits. Where a caller stops earlier, the connection is closed.
        """
        data = _payload(body)
        broken, started = None, False
        sent_ns: list[int] = []
        post = self._open().post
        try:
            async with post(
                url, data=data, headers=headers, allow_redirects=False, trace_request_ctx=sent_ns
            ) as response:
                started = True
                del data, body  # it is sent; the answer may take minutes
                await self._check(response)
                if sent_ns:
                    yield Received(sent_ns[0], b"")
                read, now_ns = response.content.readany, self._now_ns
                piece = await read()
                content_type = response.headers.get("Content-Type", "")
                if is_no_stream(piece, content_type):
                    raise no_stream(piece + await _body(response), content_type, self._secret)
                while piece:
                    yield Received(now_ns(), piece)
                    piece = await read()
                check_end(response.headers)
        except (aiohttp.ClientError, OSError) as error:
            broken = cut(error, self._secret) if started else self._unreached(error, url)
        # Raised out here so that it drags no exception along that remembers the request's headers.
        if broken is not None:
            raise broken

    async def exchange(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes | None = None,
        *,
        silent_s: float | None = None,
        limit: int = _REPLY_LIMIT,
        total_s: float | None = _SMALL_S,
    ) -> Reply:
        """Send a small request, GET without a body, and return the reply, without the key if it repeats that.

        `limit` in bytes of the body, and at most one piece more; None as `total_s` leaves the deadline to the caller.
        Redirects are not followed. Raises SilentError for a server that says nothing for `silent_s` seconds, and
        SutError(CONNECTION) where there is no reply.
        """
        timeout = aiohttp.ClientTimeout(total=total_s, sock_connect=CONNECT_S, sock_read=silent_s)
        request = partial(self._open().request, allow_redirects=False, timeout=timeout)
        broken: SutError
        try:
            async with request(
                "GET" if body is None else "POST", url, data=_payload(body), headers=headers
            ) as response:
                text = (await _body(response, limit)).decode("utf-8", "replace")
                whole, wait_s = response.content.at_eof(), self._rates(response).retry_after_s
                return Reply(response.status, response.headers, redacted(text, self._secret).encode(), whole, wait_s)
        except aiohttp.SocketTimeoutError:
            broken = SilentError(url)
        except (aiohttp.ClientError, OSError) as error:
            broken = self._unreached(error, url)
        raise broken

    def _unreached(self, error: Exception, url: str) -> SutError:
        """Return an exception that came instead of a response: what the proxy, if any, or the connection says."""
        if isinstance(error, aiohttp.ClientHttpProxyError):
            return proxy_refusal(error.status, error.message, self._route.address)
        return unreachable(error, url, self._secret, proxy=self._route.address)

    def _rates(self, response: aiohttp.ClientResponse) -> RateHeaders:
        at_ns, unix_s = self._now_ns(), self._unix_s()
        return read_rate_headers(response.headers, status=response.status, at_ns=at_ns, unix_s=unix_s)

    async def aclose(self) -> None:
        """Close every connection."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300, ssl=self._route.tls or True),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers=_HEADERS,
                proxy=self._route.proxy or None,
                trace_configs=[self._stamping()],
            )
        return self._session

    def _stamping(self) -> aiohttp.TraceConfig:
        """Notes when a body goes out: in a burst that is long after its turn to connect, and no time of the model's."""

        async def sent(
            _session: aiohttp.ClientSession, context: SimpleNamespace, _sent: aiohttp.TraceRequestChunkSentParams
        ) -> None:
            sent_ns: list[int] | None = context.trace_request_ctx
            if sent_ns is not None and not sent_ns:
                sent_ns.append(self._now_ns())

        trace = aiohttp.TraceConfig()
        trace.on_request_chunk_sent.append(sent)
        return trace

    async def _check(self, response: aiohttp.ClientResponse) -> None:
        """Report the limits; raise what a status that is not a success means."""
        rates = self._rates(response)
        if self.on_headers is not None:
            self.on_headers(rates)
        if is_redirect(response.status, response.headers):
            raise redirected(response.status, response.headers, str(response.url), self._secret)
        if response.status >= 300:
            raise refusal(
                await _body(response),
                status=response.status,
                retry_after_s=rates.retry_after_s,
                secrets=(self._secret,),
            )


def _payload(body: bytes | None) -> bytes | io.BytesIO | None:
    return body if body is None or len(body) < _PIECEMEAL_BYTES else io.BytesIO(body)


async def _body(response: aiohttp.ClientResponse, limit: int = _ERROR_BODY_LIMIT) -> bytes:
    """Return what is left of the body, up to a limit; what a broken connection leaves of it."""
    pieces: list[bytes] = []
    with suppress(aiohttp.ClientError, OSError):
        while sum(map(len, pieces)) < limit and (piece := await response.content.readany()):
            pieces.append(piece)
    return b"".join(pieces)
