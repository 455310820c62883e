"""What the simulated server costs: CPU-seconds per 1,000 streams of 100 pieces, at 50, 200 and 1,000 at once.

Run as `python tests/bench/bench_server.py [STREAMS]`. The server is a process of its own and tells its CPU time;
the client, in this one, writes raw requests of 60 kB and only counts bytes. Pieces come 5 ms apart after 200 ms,
as in the bench of the clients; `floor` is the wall time that this alone takes, `late` how much later than planned
the first byte of the median and of the slowest twentieth left the server.
"""

import asyncio
import json
import multiprocessing
import sys
from multiprocessing.connection import Connection as Pipe
from statistics import quantiles
from time import perf_counter, process_time
from typing import Final

from suts.simulated.config import ServerConfig
from suts.simulated.server import start

PIECES, FIRST_MS, GAP_MS = 100, 200, 5
BODY: Final = json.dumps(
    {
        "model": f"sim/any?pieces={PIECES}&jitter=0&ttft_ms={FIRST_MS}&gap_ms={GAP_MS}",
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [{"role": "system", "content": "x" * 20_000}, {"role": "user", "content": "y" * 40_000}],
    }
).encode()
REQUEST: Final = (
    b"POST /v1/chat/completions HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\n"
    b"content-length: %d\r\n\r\n" % len(BODY)
) + BODY


def serve(pipe: Pipe) -> None:
    """The server's process: each message from the client is answered with the CPU time and the lateness so far."""

    async def run() -> None:
        server = await start(ServerConfig())
        pipe.send(server.port)
        loop = asyncio.get_running_loop()
        while await loop.run_in_executor(None, pipe.recv) == "report":
            late = [
                entry.first_byte_ns - entry.arrived_ns - FIRST_MS * 1_000_000
                for entry in server.log
                if entry.first_byte_ns
            ]
            pipe.send((process_time(), server.journal.peak, late))
            server.service.forget()
        await server.aclose()

    asyncio.run(run())


async def load(port: int, streams: int, at_once: int) -> float:
    """Read `streams` streams, `at_once` at a time over connections that are kept; the wall seconds."""
    left = iter(range(streams))

    async def client() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in left:
            writer.write(REQUEST)
            seen = b""
            while not seen.endswith(b"0\r\n\r\n"):
                seen = seen[-8:] + await reader.read(65_536)
        writer.close()
        await writer.wait_closed()

    begun = perf_counter()
    async with asyncio.TaskGroup() as group:
        for _ in range(at_once):
            group.create_task(client())
    return perf_counter() - begun


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")


def main(streams: int) -> None:
    """Print the table."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs,))
    process.start()
    port = ours.recv()
    heads = ("at once", "CPU s/1000", "us/piece", "wall s", "floor s", "peak", "late p50", "p95 ms")
    say("".join(f"{head:>11}" for head in heads))
    for at_once in (50, 200, 1000):
        count = max(streams, at_once)
        ours.send("report")
        before, _, _ = ours.recv()
        wall = asyncio.run(load(port, count, at_once))
        ours.send("report")
        after, peak, late = ours.recv()
        cpu = (after - before) * 1000 / count
        floor = count / at_once * (FIRST_MS + PIECES * GAP_MS) / 1000
        cuts = quantiles(late, n=20)
        say(
            f"{at_once:11}{cpu:11.2f}{cpu * 1e6 / 1000 / PIECES:11.1f}{wall:11.2f}{floor:11.2f}{peak:11}"
            f"{cuts[9] / 1e6:11.1f}{cuts[18] / 1e6:11.1f}"
        )
    ours.send("stop")
    process.join()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
