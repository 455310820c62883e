"""What reading costs: decoding per chunk for each wire, and our transport beside raw aiohttp.

Run as `python -m tests.bench.bench_wires [GENERATIONS]`. Decoding is timed without a network: chunks that differ in
their text alone, as nearly all of a stream do, one or several in a piece, and chunks that differ elsewhere too. The
transports read the simulated server in a process of its own: 60 kB requests, 100 chunks, 200 ms to the first, 5 ms
apart. Rounds are interleaved.
"""

import asyncio
import multiprocessing
import sys
from collections.abc import Awaitable, Callable, Iterator
from multiprocessing.connection import Connection as Pipe
from time import process_time

import aiohttp

from suts.posting import HttpSut, encoded
from suts.registry import resolve
from suts.settings import Settings
from suts.simulated.config import ServerConfig
from suts.simulated.server import start
from suts.sut import Message, Received, Request, Sut, Wire
from suts.wires import WIRES

MODEL = "any?pieces=100&jitter=0&ttft_ms=200&gap_ms=5"
ASKED = Request("x" * 30_000, (Message("user", "y" * 30_000),))
CHUNKS = {
    "openai-chat": (
        b'data: {"id":"chatcmpl-9abcDEF","object":"chat.completion.chunk","created":%d,"model":"gpt-4o-mini",'
        b'"choices":[{"index":0,"delta":{"content":"twenty%s letters"},"logprobs":null,"finish_reason":null}]}\n\n'
    ),
    "anthropic-messages": (
        b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"p":%d,"delta":'
        b'{"type":"text_delta","text":"twenty%s letters"}}\n\n'
    ),
}
DECODED, ROUNDS = 50_000, 7


def decoding_us(wire: Wire, pieces: list[bytes]) -> float:
    """Microseconds for one piece, the best of some rounds."""
    received = [Received(at_ns, piece) for at_ns, piece in enumerate(pieces)]
    best = float("inf")
    for _ in range(ROUNDS):
        feed = wire.decoder().feed
        begun = process_time()
        for _ in range(DECODED // len(received)):
            for piece in received:
                feed(piece)
        best = min(best, process_time() - begun)
    return best / DECODED * 1e6


def decoding() -> Iterator[str]:
    """A line for each wire."""
    for name, chunk in CHUNKS.items():
        alike = [chunk % (1, text) for text in (b" plain", b" \\n escaped")]
        several = [b"".join(alike) * 4]
        varied = [chunk % (at, b" plain") for at in range(50)]
        figures = (
            decoding_us(WIRES[name], alike),
            decoding_us(WIRES[name], several) / 8,
            decoding_us(WIRES[name], varied),
        )
        yield "{:<20} {:>4} bytes   alike {:.2f} us   eight in a piece {:.2f} us   varied {:.2f} us".format(
            name, len(alike[0]), *figures
        )


def serve(pipe: Pipe) -> None:
    """The server's process, until the client lets go."""

    async def run() -> None:
        server = await start(ServerConfig())
        pipe.send(server.url)
        await asyncio.get_running_loop().run_in_executor(None, pipe.recv)
        await server.aclose()

    asyncio.run(run())


async def at_once(streams: int, generations: int, one: Callable[[], Awaitable[None]]) -> float:
    """Run `one` so often, so many at a time; CPU-seconds for 1,000."""
    left = iter(range(generations))

    async def worker() -> None:
        for _ in left:
            await one()

    begun = process_time()
    await asyncio.gather(*(worker() for _ in range(streams)))
    return (process_time() - begun) / generations * 1000


async def raw(url: str, body: bytes, streams: int, generations: int) -> float:
    """The floor: post, take every piece."""
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def one() -> None:
            async with session.post(url, data=body) as response:
                async for _ in response.content.iter_any():
                    pass

        return await at_once(streams, generations, one)


async def ours(sut: Sut, streams: int, generations: int) -> float:
    """Encode, post, stamp every piece and decode it."""

    async def one() -> None:
        decoder = sut.wire.decoder()
        async for received in sut.stream(ASKED):
            decoder.feed(received)
        decoder.finish()

    try:
        return await at_once(streams, generations, one)
    finally:
        await sut.aclose()


def transports(url: str, generations: int) -> Iterator[str]:
    """A line for each number of streams: the best of three interleaved rounds of each."""

    def made(provider: str, path: str = "") -> Sut:
        return resolve(f"{provider}/{MODEL}", Settings(base_url=url + path))

    chat = made("openai", "/v1")
    assert isinstance(chat, HttpSut)
    body = encoded(chat.api.body(ASKED))
    for streams in (50, 200, 1000):
        rounds = [
            (
                asyncio.run(raw(f"{url}/v1/chat/completions", body, streams, generations)),
                asyncio.run(ours(made("openai", "/v1"), streams, generations)),
                asyncio.run(ours(made("anthropic"), streams, generations)),
            )
            for _ in range(3)
        ]
        floor, openai, anthropic = (min(figures) for figures in zip(*rounds, strict=True))
        yield (
            f"{streams:>4} streams   raw aiohttp {floor:.2f} CPU-s   openai-chat {openai:.2f} "
            f"({openai / floor:.2f}x)   anthropic-messages {anthropic:.2f} ({anthropic / floor:.2f}x)"
        )


def main() -> None:
    """Print both tables."""
    generations = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    for line in decoding():
        sys.stdout.write(f"{line}\n")
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    server = context.Process(target=serve, args=(there,), daemon=True)
    server.start()
    for line in transports(here.recv(), generations):
        sys.stdout.write(f"{line}\n")
    here.send("stop")
    server.join()


if __name__ == "__main__":
    main()
