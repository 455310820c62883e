"""The simulated server, asked by a plain HTTP client."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import aiohttp
import orjson
import pytest

from suts.simulated.book import truth_book
from suts.simulated.config import ServerConfig
from suts.simulated.server import RunningServer, serving
from suts.sut import Event, Message, Received, Truth
from suts.wires import WIRES

TRUTHS = {
    f"Change {name}.": Truth(name, number=1, path=f"{name}.py", blocks=(("old\n", "new\n"),), before="old\nend\n")
    for name in ("alpha", "beta", "gamma")
}
BOOK = truth_book([([Message("user", text)], truth) for text, truth in TRUTHS.items()])
FAST = "ttft_ms=2&gap_ms=0.2"
PATHS = {
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic-messages": "/v1/messages",
}
# Where a request has its conversation.
PLACES = dict.fromkeys(PATHS, "messages") | {"openai-responses": "input"}
wires = pytest.mark.parametrize("wire", PATHS)


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    data: bytes

    @property
    def events(self) -> list[bytes]:
        return [line[6:] for line in self.data.split(b"\n") if line.startswith(b"data: ")]

    @property
    def text(self) -> str:
        """What the stream says, read by hand over either wire."""
        out = ""
        for event in self.events:
            if event != b"[DONE]":
                chunk = orjson.loads(event)
                for choice in chunk.get("choices", ()):
                    out += choice["delta"].get("content", "")
                delta = chunk.get("delta", {})
                if chunk.get("type") == "response.output_text.delta":
                    out += delta
                elif isinstance(delta, dict):
                    out += delta.get("text", "")
        return out

    @property
    def ended(self) -> bool:
        closed = self.data.endswith((b"data: [DONE]\n\n", b'data: {"type":"message_stop"}\n\n'))
        return closed or b"event: response.completed\n" in self.data


class Client:
    def __init__(self, server: RunningServer, session: aiohttp.ClientSession) -> None:
        self.server = server
        self.session = session

    async def ask(
        self,
        text: str = "Change alpha.",
        model: str = "sim/any",
        wire: str = "openai-chat",
        headers: Mapping[str, str] | None = None,
        **more: object,
    ) -> Answer:
        limit = {"max_tokens": 8192} if wire == "anthropic-messages" else {}
        body = {"model": model, "stream": True, PLACES[wire]: [{"role": "user", "content": text}], **limit, **more}
        async with self.session.post(self.server.url + PATHS[wire], json=body, headers=headers) as response:
            return Answer(response.status, response.headers, await response.read())

    async def get(self, path: str) -> object:
        async with self.session.get(self.server.url + path) as response:
            assert response.status == 200
            return orjson.loads(await response.read())


@asynccontextmanager
async def client(config: ServerConfig | None = None, **more: object) -> AsyncIterator[Client]:
    config = replace(config or ServerConfig(book=BOOK, parameters=FAST), **more)  # type: ignore[arg-type]
    connector = aiohttp.TCPConnector(limit=0)
    async with serving(config) as server, aiohttp.ClientSession(connector=connector) as session:
        yield Client(server, session)


def decoded(wire: str, data: bytes) -> list[Event]:
    decoder = WIRES[wire].decoder()
    events = list(decoder.feed(Received(0, data)))
    decoder.finish()
    return events


def is_json(data: bytes) -> bool:
    try:
        orjson.loads(data)
    except orjson.JSONDecodeError:
        return False
    return True
