"""One client under load, in a process of its own: prints what streaming cost it, start-up excluded.

`python -m tests.bench.load_clients CLIENT URL STREAMS GENERATIONS` with CLIENT one of aiohttp, httpx, openai, evals.
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
from typing import Any

PROMPT_BYTES = 60_000
CASES = 100


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
        case["messages"][0]["text"] = f"Task {index}. " + "x" * (PROMPT_BYTES - 22_000)
        (folder / f"{case['test_id']}.json").write_text(json.dumps(case), encoding="utf-8")


def evals_run(url: str, streams: int, generations: int, cases: Path) -> Callable[[], object]:
    """The product's own main job, everything recorded."""
    from runner.suites.diff_edit.plan import DiffOptions
    from runner.suites.diff_edit.run import run_diff

    db = Path(tempfile.mkdtemp()) / "evals.db"
    options = DiffOptions(
        db=db,
        cases=cases,
        model_ids="any?pieces=100&valid=1",
        provider="openai",
        base_url=url + "/v1",
        quota=-(-generations // CASES),
        max_concurrency=streams,
        quiet=True,
    )
    run_diff(replace(options, db=db.with_name("warm.db"), quota=1, max_cases=1, seed=1))  # start-up
    return lambda: (run_diff(options), sys.stderr.write(f"disk {db.stat().st_size}\n"))


RAW = {"aiohttp": raw_aiohttp, "httpx": raw_httpx, "openai": openai_sdk}


def main() -> None:
    """Measure one client; prints JSON: CPU and wall seconds, peak resident MB."""
    name, url, streams, generations = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    job = evals_run(url, streams, generations, Path(sys.argv[5])) if name == "evals" else None
    if job is None:
        client = RAW[name]
        asyncio.run(client(url, 1, 1))  # imports and first connections are start-up
    before, began = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    if job is not None:
        job()
    else:
        asyncio.run(client(url, streams, generations))
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    wall = time.monotonic() - began
    found = {"client": name, "cpu_s": cpu, "wall_s": wall, "rss_mb": after.ru_maxrss / 1024}
    sys.stdout.write(f"{json.dumps(found)}\n")


if __name__ == "__main__":
    main()
