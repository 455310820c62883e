"""A loopback server of Anthropic's wire whose model makes given calls of tools, one a turn, whatever comes of them."""

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import orjson
from aiohttp import web
from aiohttp.test_utils import TestServer

from suts.simulated.agent_tools import call_results
from suts.simulated.encode import frames
from suts.simulated.envelope import Envelope
from suts.simulated.pace import Piece
from suts.simulated.usage import Counted

ToolUse = tuple[str, dict[str, str]]
USAGE = Counted(input=10, cache_read=0, cache_write=0, output=5, reasoning=0, cost_usd=0.0)


@dataclass
class Calling:
    """Where the model is asked, and when it was asked for each turn, in monotonic nanoseconds."""

    url: str = ""
    asked_ns: list[int] = field(default_factory=list)


@asynccontextmanager
async def calling(*calls: ToolUse) -> AsyncIterator[Calling]:
    """Serve a model that makes these calls, and then ends."""
    found = Calling()

    async def answer(request: web.Request) -> web.Response:
        moment, body = time.monotonic_ns(), orjson.loads(await request.read())
        # A request without tools is one on the side, such as that for a title.
        left = calls[len(call_results(body["messages"])) :] if body.get("tools") else ()
        if body.get("tools"):
            found.asked_ns.append(moment)
        return web.Response(body=b"".join(turn(left, body["model"])), content_type="text/event-stream")

    app = web.Application(client_max_size=1 << 24)
    app.router.add_post("/v1/messages", answer)
    async with TestServer(app) as server:
        found.url = str(server.make_url("")).rstrip("/")
        yield found


def turn(left: Sequence[ToolUse], model: str) -> list[bytes]:
    """The stream of one answer: the first of the calls that are left, or none."""
    names = tuple(name for name, _ in left[:1])
    envelope = Envelope(f"{len(left)}", model, "stop", USAGE, wire="anthropic-messages", calls=names)
    pieces = [Piece(0, orjson.dumps(arguments).decode(), call=0) for _, arguments in left[:1]]
    return frames([Piece(0, "So."), *pieces], envelope)
