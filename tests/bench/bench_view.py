"""What the pages of `evals view` take on a large run: `python -m tests.bench.bench_view [MODELS CASES ATTEMPTS]`.

The run is that of `bench_report`: 103,680 attempts by default. Each kind of page is drawn once to load its template,
then five times; the slowest counts. Processor seconds are what it takes on an idle machine; they are what is limited.
Then an attempt is written while a page listens for news.
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

import aiohttp

from runner.storage.store import Store
from runner.storage.tallies import wrong_tallies
from runner.view.server import served
from runner.view.site import draw
from tests.bench.bench_report import COPIES, make, multiply

MOST_S, MOST_NEWS_S = 0.3, 2.0
ROUNDS = 5


def addresses(store: Store) -> Iterator[str]:
    """An address of each kind of page, those that read most among them."""
    (run_id,) = store.rows("SELECT run_id FROM runs")[0]
    case_id, digest = store.rows("SELECT case_id, digest FROM cases ORDER BY position DESC LIMIT 1")[0]
    sql = "SELECT max(scoring_id) FROM attempts JOIN classes USING (scoring_id) WHERE class = ?"
    right, failed = (store.rows(sql, name)[0][0] for name in ("right", "failed"))
    model = store.rows("SELECT sut FROM variants ORDER BY position DESC LIMIT 1")[0][0]
    yield "/"
    yield f"/run/{run_id}"
    yield f"/run/{run_id}?language=python"
    yield f"/run/{run_id}/report"
    yield f"/run/{run_id}/attempts"
    yield f"/run/{run_id}/attempts?outcome=failed&edits=2"
    yield f"/run/{run_id}/attempts?start=90000"
    yield f"/run/{run_id}/attempts?cause=indentation"
    yield f"/run/{run_id}/attempt/{right}?outcome=right"
    yield f"/run/{run_id}/attempt/{failed}?outcome=failed"
    yield "/cases"
    yield f"/case/{digest}?id={case_id}"
    yield f"/compare?a={run_id}&b={run_id}&b-model={model.replace('?', '%3F').replace('=', '%3D')}&case={case_id}"


def drawn_s(store: Store, address: str) -> float:
    """The processor seconds of the slowest of a few drawings."""
    parts = urlsplit(address)
    path, query = [unquote(part) for part in parts.path.split("/") if part], parse_qsl(parts.query)
    seconds = []
    for _ in range(1 + ROUNDS):
        began = time.process_time()
        answer = draw(store, path, query)
        seconds.append(time.process_time() - began)
        assert answer.status == 200, answer.html
    return max(seconds[1:])


async def news_s(path: Path) -> float:
    """The seconds from a written attempt to its news."""
    with closing(Store.open(path)) as store:
        store.execute("UPDATE runs SET state = 'running'")
        (run_id,) = store.rows("SELECT run_id FROM runs")[0]
        async with (
            served(path, 0) as address,
            aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session,
        ):
            async with session.get(address) as answer:
                assert answer.status == 200
            events = f"{address.partition('/?')[0]}/events?run={run_id}"
            async with session.get(events) as answer:
                await next_event(answer)
                store.execute(
                    "UPDATE answers SET outcome = 'crashed' WHERE answer_id = (SELECT max(answer_id) FROM answers)"
                )
                store.execute("DELETE FROM scorings WHERE scoring_id = (SELECT max(scoring_id) FROM scorings)")
                began = time.perf_counter()
                await next_event(answer)
                return time.perf_counter() - began


async def next_event(answer: aiohttp.ClientResponse) -> None:
    """Wait for an event."""
    async with asyncio.timeout(60):
        while not (await answer.content.readline()).startswith(b"data: "):
            pass


def main(models: int, cases: int, attempts: int) -> None:
    """Print what each page takes, how late news are, and what counting again takes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "evals.db")
        make(path)
        with closing(Store.open(path)) as store:
            multiply(store, models, cases, attempts)
        with closing(Store.open_to_read(path)) as store:
            count = store.rows("SELECT count(*) FROM scorings")[0][0]
            sys.stdout.write(f"{count:,} attempts; processor ms of the slowest of {ROUNDS}:\n")
            slow = []
            for address in addresses(store):
                seconds = drawn_s(store, address)
                sys.stdout.write(f"{1000 * seconds:8.0f}  {address[:100]}\n")
                slow += [address] if seconds > MOST_S else []
            began = time.process_time()
            wrong = wrong_tallies(store)
            sys.stdout.write(
                f"{1000 * (time.process_time() - began):8.0f}  checking the counts: {wrong or 'all right'}\n"
            )
        late_s = asyncio.run(news_s(path))
    sys.stdout.write(f"news of an attempt after {late_s:.2f} s\n")
    if slow or wrong or late_s > MOST_NEWS_S:
        raise SystemExit(f"more than {MOST_S:g} s, wrong counts, or news after more than {MOST_NEWS_S:g} s: {slow}")


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:4]]
    main(*(given or COPIES))
