"""The server's side of one HTTP/1.1 connection: whole requests in, whole or chunked responses out.

Written by hand on asyncio's transport because a paced stream is one small write per piece: see
tests/bench/bench_server.py for what it costs. Requests come one after another and have a Content-Length.
"""

import asyncio
import socket
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, cast

from suts.simulated.gate import Gate

_HEAD_END: Final = b"\r\n\r\n"
_HEAD_LIMIT: Final = 65_536
_LINE_LIMIT: Final = 8192
# How long a refused client may go on sending before it is cut off: it reads its answer only then.
_LINGER_S: Final = 2.0
# Enough for the length of any body within the limit; int() refuses very many digits.
_LENGTH_DIGITS: Final = 12
LAST_CHUNK: Final = b"0\r\n\r\n"
_REASONS: Final[Mapping[int, str]] = {
    200: "OK",
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    411: "Length Required",
    413: "Content Too Large",
    414: "URI Too Long",
    421: "Misdirected Request",
    429: "Too Many Requests",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    502: "Bad Gateway",
    529: "Overloaded",
}
Headers = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request; header names in lower case, the path without its query."""

    method: str
    path: str
    headers: Headers
    body: bytes
    query: str = ""


class ClientConnection(asyncio.Protocol):
    """One client. `handle` is called with each request and answers it now or later through this object.

    `gone` is called once if the client goes away, or is sent away, before its answer has ended.
    """

    def __init__(
        self, handle: Callable[[HttpRequest, "ClientConnection"], None], clients: set["ClientConnection"], gate: Gate
    ) -> None:
        """Wait for the first request that `gate` lets in; be among `clients` while connected."""
        self._handle = handle
        self._gate = gate
        self._refused = False
        self._clients = clients
        self._buffer = bytearray()
        self._head: tuple[str, str, str, dict[str, str]] | None = None
        self._busy = False
        self._close = False
        self._transport: asyncio.Transport | None = None
        self.on_close: Callable[[], None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast("asyncio.Transport", transport)
        self._clients.add(self)

    def data_received(self, data: bytes) -> None:
        """Collect bytes; answer when a request is whole and no other is being answered."""
        if self._refused:
            return
        self._buffer += data
        if not self._busy:
            self._read()
        elif len(self._buffer) > self._gate.largest_body + _HEAD_LIMIT:
            # More than the next request may have, while this one is being answered.
            self.reset()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  # asyncio's signature
        """Call `on_close`."""
        self._transport = None
        self._clients.discard(self)
        on_close, self.on_close = self.on_close, None
        if on_close is not None:
            on_close()

    def respond(self, status: int, body: bytes, headers: Headers | None = None) -> None:
        """Answer with a whole body of JSON, now."""
        self.write(self.whole(status, body, headers or {}))
        self.finish()

    def whole(self, status: int, body: bytes, headers: Headers) -> bytes:
        """Return the bytes of an answer with a whole body of JSON."""
        fields = {"content-type": "application/json", "content-length": str(len(body)), **headers}
        return _head_of(status, fields, close=self._close) + body

    def opening(self, headers: Headers) -> bytes:
        """Return the head of a chunked stream of events, to be written with its first chunk."""
        fields = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}
        return _head_of(200, fields | {"transfer-encoding": "chunked"} | dict(headers), close=self._close)

    def write(self, data: bytes) -> None:
        """Write bytes as they are; nothing happens when the client has gone."""
        if self._transport is not None:
            self._transport.write(data)

    def finish(self) -> None:
        """The answer is written to its end: take the next request."""
        self.on_close = None
        self._busy = False
        if self._close and self._transport is not None:
            self._transport.close()
        elif self._buffer:
            self._read()

    def break_off(self, body: bytes) -> None:
        """Answer with the first half of a body and break the connection; without a body, with nothing."""
        if body:
            whole = self.whole(200, body, {})
            self.write(whole[: len(whole) - len(body) // 2 - 1])
        if self._transport is not None:
            self._transport.close() if body else self.reset()

    def reset(self) -> None:
        """Break the connection with a TCP reset, in the middle of whatever is being sent."""
        if self._transport is not None:
            at_once = struct.pack("ii", 1, 0)
            cast("socket.socket", self._transport.get_extra_info("socket")).setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, at_once
            )
            self._transport.abort()

    def _read(self) -> None:
        if self._head is None and not self._read_head():
            return
        assert self._head is not None
        method, path, query, headers = self._head
        length = headers.get("content-length", "0")
        if "transfer-encoding" in headers or not length.isdecimal():
            self._refuse(411, "the request needs a Content-Length", path)
            return
        size = int(length) if len(length) <= _LENGTH_DIGITS else self._gate.largest_body + 1
        if size > self._gate.largest_body:
            self._refuse(413, f"the body is larger than {self._gate.largest_body} bytes", path)
            return
        if len(self._buffer) < size:
            return
        body = bytes(self._buffer[:size])
        del self._buffer[:size]
        self._head = None
        self._busy = True
        self._close = headers.get("connection", "").lower() == "close"
        self._handle(HttpRequest(method, path, headers, body, query), self)

    def _read_head(self) -> bool:
        end = self._buffer.find(_HEAD_END)
        if end < 0 or end > _HEAD_LIMIT:
            if len(self._buffer) > _HEAD_LIMIT:
                self._refuse(431, f"the headers are larger than {_HEAD_LIMIT} bytes")
            return False
        first, *lines = self._buffer[:end].decode("latin-1").split("\r\n")
        del self._buffer[: end + len(_HEAD_END)]
        words = first.split(" ")
        if len(first) > _LINE_LIMIT:
            self._refuse(414, f"the first line is longer than {_LINE_LIMIT} bytes")
            return False
        if len(words) != 3:
            self._refuse(400, "the first line is not of HTTP")
            return False
        pairs = (line.partition(":") for line in lines)
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        path, _, query = words[1].partition("?")
        if not self._gate.admits(headers.get("host", "")):
            self._refuse(421, "the Host header does not name this server", path)
            return False
        self._head = (words[0], path, query, headers)
        if headers.get("expect", "").lower() == "100-continue":
            self.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        return True

    def _refuse(self, status: int, message: str, path: str = "") -> None:
        """Answer with an error, take no more requests, and close once the client has."""
        self._close = self._busy = self._refused = True
        self._buffer.clear()
        self.write(self.whole(status, self._gate.refusal(path, status, message), {}))
        if self._transport is not None:
            # To close at once would reset the connection, and the client could lose the answer.
            self._transport.write_eof()
            asyncio.get_running_loop().call_later(_LINGER_S, self._transport.abort)


def chunk(data: bytes) -> bytes:
    """Return the bytes as one chunk of a chunked body; they are not empty."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def _head_of(status: int, headers: Headers, *, close: bool) -> bytes:
    lines = [f"HTTP/1.1 {status} {_REASONS.get(status, 'Unknown')}", "server: evals-serve-sim"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if close:
        lines.append("connection: close")
    return "\r\n".join(lines).encode("latin-1") + _HEAD_END
