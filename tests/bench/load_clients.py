"""One client under load, in a process of its own: prints what streaming cost it, start-up excluded.

`python -m tests.bench.load_clients CLIENT URL STREAMS GENERATIONS FOLDER` with CLIENT one of aiohttp, httpx, openai,
evals; tests/bench/bench_load.py prepares the folder and the server.
"""

import asyncio
import json
import resource
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from shutil import copyfile
from typing import Any

PROMPT_BYTES = 60_000
CASES = 100
# What the system prompt, the rest of the case's text and the envelope take of a request.
_SYSTEM_BYTES = 15_000


def body() -> dict[str, Any]:
    """The request of the raw clients: as large as a real coding agent's."""
    return {
        "model": "any?pieces=100",
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 8192,
        "temperature": 0,
        "messages": [{"role": "system", "content": "x" * PROMPT_BYTES}, {"role": "user", "content": "Edit it."}],
    }


async def at_once(streams: int, generations: int, one: Callable[[], Awaitable[None]]) -> None:
    """Run `one` so often, so many at a time."""
    left = generations

    async def worker() -> None:
        nonlocal left
        while left > 0:
            left -= 1
            await one()

    await asyncio.gather(*(worker() for _ in range(streams)))


async def raw_aiohttp(url: str, streams: int, generations: int) -> None:
    """The floor: post, read every piece, look for the end."""
    import aiohttp

    data = json.dumps(body()).encode()

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def one() -> None:
            async with session.post(url + "/v1/chat/completions", data=data) as response:
                async for _ in response.content.iter_any():
                    pass

        await at_once(streams, generations, one)


async def raw_httpx(url: str, streams: int, generations: int) -> None:
    """httpx, reading bytes."""
    import httpx

    data = json.dumps(body()).encode()
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    async with httpx.AsyncClient(limits=limits, timeout=None) as client:  # noqa: S113 - the server is ours

        async def one() -> None:
            async with client.stream("POST", url + "/v1/chat/completions", content=data) as response:
                async for _ in response.aiter_bytes():
                    pass

        await at_once(streams, generations, one)


async def openai_sdk(url: str, streams: int, generations: int) -> None:
    """The vendor's SDK, chunk by chunk."""
    import httpx
    import openai

    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    http = httpx.AsyncClient(limits=limits, timeout=None)  # noqa: S113 - the server is ours
    client = openai.AsyncOpenAI(api_key="x", base_url=url + "/v1", max_retries=0, http_client=http)

    async def one() -> None:
        async for _ in await client.chat.completions.create(**body()):
            pass

    await at_once(streams, generations, one)
    await client.close()


def write_cases(folder: Path) -> None:
    """A hundred cases, each with a prompt as large as a real coding agent's."""
    case = json.loads(Path("cases/diff_edit/go_trie_suggest.json").read_text(encoding="utf-8"))
    for index in range(CASES):
        case["test_id"] = f"case_{index:03}"
        case["messages"][0]["text"] = f"Task {index}. " + "x" * (PROMPT_BYTES - _SYSTEM_BYTES)
        (folder / f"{case['test_id']}.json").write_text(json.dumps(case), encoding="utf-8")


def evals(url: str, streams: int, generations: int, folder: Path) -> tuple[Callable[[], None], Path]:
    """The product's own main job with everything recorded, and its database.

    `folder` holds the cases in `cases`, and in `evals.db` a database that an earlier run has made.
    """
    from runner.run.execute import execute
    from runner.suites.diff_edit.options import DiffOptions
    from runner.suites.diff_edit.suite import SUITE

    db = Path(tempfile.mkdtemp(dir=folder)) / "evals.db"
    options = DiffOptions(
        db=db,
        cases=folder / "cases",
        model_ids="any?pieces=100&valid=1",
        provider="openai",
        base_url=[url + "/v1"],
        quota=-(-generations // CASES),
        max_concurrency=streams,
        json=True,  # no progress is shown
    )
    for path in (db, db.with_name("warm.db")):
        copyfile(folder / "evals.db", path)
    execute(SUITE, replace(options, db=db.with_name("warm.db"), quota=1, max_cases=1, seed=1))  # start-up

    def job() -> None:
        done = execute(SUITE, options)
        assert done.exit_code == 0

    return job, db


RAW = {"aiohttp": raw_aiohttp, "httpx": raw_httpx, "openai": openai_sdk}


def raw(name: str, url: str, streams: int, generations: int) -> Callable[[], None]:
    """The job of a client that keeps nothing."""
    client = RAW[name]
    asyncio.run(client(url, 1, 1))  # imports and first connections are start-up
    return lambda: asyncio.run(client(url, streams, generations))


def main() -> None:
    """Measure one client; prints JSON: CPU and wall seconds, peak resident MB, MB in the database."""
    name, url, streams, generations, folder = *sys.argv[1:3], int(sys.argv[3]), int(sys.argv[4]), Path(sys.argv[5])
    before_bytes, db = (folder / "evals.db").stat().st_size, None
    if name == "evals":
        job, db = evals(url, streams, generations, folder)
    else:
        job = raw(name, url, streams, generations)
    before, began = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    job()
    after, wall_s = resource.getrusage(resource.RUSAGE_SELF), time.monotonic() - began
    found = {
        "cpu_s": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "wall_s": wall_s,
        "rss_mb": after.ru_maxrss / 1024,
        "disk_mb": (db.stat().st_size - before_bytes) / 1e6 if db else 0.0,
    }
    sys.stdout.write(f"{json.dumps(found)}\n")


if __name__ == "__main__":
    main()
