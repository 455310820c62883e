"""A proxy that records the requests of an agent as lines of the wire `agent`, and adds what the agent printed."""

import itertools
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp
from aiohttp import web

WIRES = {
    "/v1/messages": "anthropic-messages",
    "/v1/chat/completions": "openai-chat",
    "/v1/responses": "openai-responses",
}


@dataclass
class RecordingProxy:
    """The proxy of one attempt; `lines` are the attempt so far, each with a moment of its own."""

    upstream: str
    url: str = ""
    lines: list[tuple[int, bytes]] = field(default_factory=list)
    _body: str = ""
    _numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def add(self, kind: str, **fields: object) -> None:
        self.lines.append((len(self.lines) * 1000, json.dumps({"t": kind, **fields}).encode() + b"\n"))

    def printed(self, text: str) -> None:
        for line in text.splitlines():
            self.add("out", d=line)

    async def pass_on(self, request: web.Request) -> web.StreamResponse:
        body, number = (await request.read()).decode(), next(self._numbers)
        pairs = zip(self._body, body, strict=False)
        keep = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
        self.add("sent", n=number, wire=WIRES[request.path], keep=keep, body=body[keep:])
        self._body = body
        answer = web.StreamResponse()
        url = f"{self.upstream}{request.path_qs}"
        async with aiohttp.ClientSession() as client, client.post(url, data=body, headers=request.headers) as upstream:
            self.add("status", n=number, status=upstream.status)
            answer.set_status(upstream.status)
            await answer.prepare(request)
            async for piece in upstream.content.iter_any():
                self.add("got", n=number, d=piece.decode())
                await answer.write(piece)
        self.add("done", n=number, usd=0.5)
        await answer.write_eof()
        return answer


@asynccontextmanager
async def recording(upstream: str) -> AsyncIterator[RecordingProxy]:
    proxy = RecordingProxy(upstream)
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", proxy.pass_on)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        proxy.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield proxy
    finally:
        await runner.cleanup()
