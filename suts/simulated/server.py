"""The loopback server that serves simulated models over HTTP, with faults to order: the only fake server there is.

| request | answer |
|---|---|
| `POST /v1/chat/completions` | OpenAI's chat completions, as a stream or whole |
| `POST /v1/completions` | OpenAI's text completions, which take a prompt and a suffix |
| `POST /v1/messages` | Anthropic's messages, as a stream or whole |
| `GET /props`, `POST /tokenize`, `POST /infill` | where it plays llama.cpp's server: those of that server |
| `POST /v1/messages/count_tokens` | the number of tokens of a prompt |
| `/v1/files`, `/v1/batches`, `/v1/messages/batches` | the batch APIs of both, see `batches` |
| `GET /v1/models`, `GET /v1/models/{id}` | the presets; one model, in the form of either vendor |
| `GET /health`, `HEAD /` | that it is there |
| `GET /_sim/log`, `GET /_sim/stats` | what it did, request by request, and in total |
| `POST /_sim/truths` | takes right answers of cases, see `stated_truths` |
| `POST /_sim/reset` | starts again: numbers, faults, log |

Models are named as in process, with or without `sim/`.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from suts.simulated.config import ServerConfig
from suts.simulated.connection import ClientConnection
from suts.simulated.gate import Gate, is_loopback
from suts.simulated.journal import Journal, JournalEntry
from suts.simulated.pacer import Pacer
from suts.simulated.service import SimulatedService

_BACKLOG = 4096
_TURNS = 5


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A server that listens on `host` and `port`."""

    host: str
    port: int
    service: SimulatedService
    listener: asyncio.Server
    pacer: Pacer
    clients: set[ClientConnection]

    @property
    def url(self) -> str:
        """Where it listens, such as `http://127.0.0.1:8080`; clients of OpenAI's format add `/v1`."""
        return f"http://{self.host}:{self.port}"

    @property
    def journal(self) -> Journal:
        """What it did so far."""
        return self.service.journal

    @property
    def log(self) -> list[JournalEntry]:
        """What it did so far, request by request."""
        return self.service.journal.entries

    async def aclose(self) -> None:
        """Stop listening and drop every client."""
        self.listener.close()
        self.pacer.close()
        # A connection that was just accepted needs a few turns of the loop until it is among the clients.
        for _ in range(_TURNS):
            for client in tuple(self.clients):
                client.reset()
            await asyncio.sleep(0)
        await self.listener.wait_closed()


async def start(config: ServerConfig) -> RunningServer:
    """Listen on loopback; port 0 takes a free one.

    Raises OSError when the port cannot be had, ValueError when `config.parameters` are wrong.
    """
    loop = asyncio.get_running_loop()
    pacer = Pacer(loop, config.now_ns)
    service = SimulatedService(config, pacer, loop.call_later)
    clients: set[ClientConnection] = set()
    gate = Gate(service.refusal, is_loopback(config.host), config.largest_body)
    listener = await loop.create_server(
        lambda: ClientConnection(service.handle, clients, gate), config.host, config.port, backlog=_BACKLOG
    )
    port: int = listener.sockets[0].getsockname()[1]
    return RunningServer(config.host, port, service, listener, pacer, clients)


@asynccontextmanager
async def serving(config: ServerConfig) -> AsyncIterator[RunningServer]:
    """Run a server for the length of a block."""
    server = await start(config)
    try:
        yield server
    finally:
        await server.aclose()


async def serve(config: ServerConfig, ready: Callable[[str], None]) -> None:
    """Serve until cancelled; `ready` gets the URL once the server listens. Raises as `start` does."""
    async with serving(config) as server:
        ready(server.url)
        await asyncio.Event().wait()
