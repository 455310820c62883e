"""A loopback proxy: CONNECT and absolute form, with basic authentication; it leads every host to one loopback port."""

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

USER, PASSWORD = "proxy-user", "planted/proxy@password"
_TOKEN = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()


@dataclass
class LoopbackProxy:
    """A proxy with the head of each request that it was sent; `refuse` is a status line for every CONNECT."""

    upstream: int
    refuse: str = ""
    url: str = ""
    heads: list[str] = field(default_factory=list)
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    @property
    def lines(self) -> list[str]:
        """The first line of each request."""
        return [head.partition("\r\n")[0] for head in self.heads]

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a client in a task that ends with the proxy."""
        self.tasks.append(asyncio.get_running_loop().create_task(self.serve(reader, writer)))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer), suppress(ConnectionError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            self.heads.append(head)
            first, *headers = head.rstrip().split("\r\n")
            method, target, _ = first.split()
            if f"proxy-authorization: basic {_TOKEN}".lower() not in (line.lower() for line in headers):
                writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            elif self.refuse:
                writer.write(f"HTTP/1.1 {self.refuse}\r\nContent-Length: 0\r\n\r\n".encode())
            else:
                await self._forward(method, target, headers, reader, writer)

    async def _forward(
        self, method: str, target: str, headers: list[str], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self.upstream)
        if method == "CONNECT":
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        else:
            kept = [line for line in headers if not line.lower().startswith(("proxy-authorization:", "connection:"))]
            lines = [f"{method} {urlsplit(target).path} HTTP/1.1", *kept, "Connection: close"]
            server_writer.write("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n")
        up = asyncio.create_task(_pipe(reader, server_writer))
        try:
            await _pipe(server_reader, writer)
        finally:
            up.cancel()
            server_writer.close()
            with suppress(ConnectionError):
                await server_writer.wait_closed()


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()


@asynccontextmanager
async def proxying(upstream_url: str, refuse: str = "") -> AsyncIterator[LoopbackProxy]:
    """Run a proxy for the length of a block."""
    proxy = LoopbackProxy(urlsplit(upstream_url).port or 0, refuse)
    server = await asyncio.start_server(proxy.accept, "127.0.0.1", 0)
    proxy.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield proxy
        for task in proxy.tasks:
            task.cancel()
        await asyncio.gather(*proxy.tasks, return_exceptions=True)
