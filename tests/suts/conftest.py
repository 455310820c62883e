"""A loopback server that speaks scripted bytes: what a provider sends, to the byte, and when."""

import asyncio
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal

import pytest

Step = bytes | float | Literal["reset", "close"]


@dataclass
class Asked:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Loopback:
    """A server; each request is answered with the next script: bytes to send, seconds to wait, how to end."""

    scripts: list[Sequence[Step]]
    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    connections: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while (asked := await _read(reader)) is not None:
                script = self.scripts[min(len(self.asked), len(self.scripts) - 1)]
                self.asked.append(asked)
                if not await _play(script, writer):
                    return
        except ConnectionError:
            return
        finally:
            writer.close()


Serve = Callable[..., AbstractAsyncContextManager[Loopback]]


def streaming(*pieces: bytes, status: str = "200 OK", headers: str = "") -> list[Step]:
    """A chunked response that ends properly: each piece is one HTTP chunk, written on its own."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/event-stream\r\n{headers}Transfer-Encoding: chunked\r\n\r\n"
    chunks = [b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces]
    return [head.encode(), *chunks, b"0\r\n\r\n"]


def plain(body: bytes, *, status: str = "200 OK", headers: str = "") -> list[Step]:
    """A response of one JSON body."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{headers}Content-Length: {len(body)}\r\n\r\n"
    return [head.encode() + body]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@asynccontextmanager
async def serving(*scripts: Sequence[Step], tls: ssl.SSLContext | None = None) -> AsyncIterator[Loopback]:
    """Run a server for the length of a block."""
    loopback = Loopback(list(scripts))
    server = await asyncio.start_server(loopback.serve, "127.0.0.1", 0, ssl=tls)
    port = server.sockets[0].getsockname()[1]
    loopback.url = f"http{'s' if tls else ''}://127.0.0.1:{port}"
    async with server:
        yield loopback


@pytest.fixture
def serve() -> Serve:
    return serving


async def _read(reader: asyncio.StreamReader) -> Asked | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.strip().split("\r\n")
    headers = {name.lower(): text for name, _, text in (line.partition(": ") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Asked(first.split()[1], headers, body)


async def _play(script: Sequence[Step], writer: asyncio.StreamWriter) -> bool:
    """True when the connection may be used again."""
    for step in script:
        if step == "reset":
            linger = struct.pack("ii", 1, 0)
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            writer.transport.abort()
            return False
        if step == "close":
            return False
        if isinstance(step, float):
            await asyncio.sleep(step)
        elif isinstance(step, bytes):
            writer.write(step)
            await writer.drain()
            await asyncio.sleep(0)
    return True
