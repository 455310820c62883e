"""The server of the pages over its socket: who is let in, what it refuses, and the news of a run."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import orjson
import pytest

from runner.records import Outcome
from runner.storage.runs import finish
from runner.storage.store import Store
from runner.view.guard import POLICY
from runner.view.server import served
from tests.runner.made_runs import UTC, Made, make_run
from tests.runner.pages.made_pages import three_models


@asynccontextmanager
async def client(db: Path) -> AsyncIterator[tuple[aiohttp.ClientSession, str, str]]:
    """A session that was let in, the server's address, and the one with the token."""
    async with served(db, 0) as address:
        base = address.partition("/?")[0]
        jar = aiohttp.CookieJar(unsafe=True)
        async with aiohttp.ClientSession(cookie_jar=jar) as session:
            async with session.get(address, allow_redirects=False) as answer:
                assert answer.status == 303
                assert answer.headers["Location"] == "/"
                assert "HttpOnly" in answer.headers["Set-Cookie"]
                assert "SameSite=Strict" in answer.headers["Set-Cookie"]
            yield session, base, address


async def status(session: aiohttp.ClientSession, method: str, address: str, **headers: str) -> int:
    async with session.request(method, address, headers=headers, allow_redirects=False) as answer:
        for name in ("Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy", "Cache-Control"):
            assert name in answer.headers
        return answer.status


async def test_pages_are_for_readers_with_the_token_and_the_right_name(store: Store) -> None:
    three_models(store)
    async with client(store.path) as (session, base, address), aiohttp.ClientSession() as stranger:
        assert await status(session, "GET", f"{base}/") == 200
        assert await status(session, "HEAD", f"{base}/run/r1") == 200
        assert await status(session, "GET", f"{base}/run/r2") == 404
        assert await status(session, "POST", f"{base}/") == 405
        assert await status(session, "GET", f"{base}/", Host="evil.example") == 421
        for path in ("/", "/run/r1", "/view.js", "/events?run=r1", "/?token=wrong", "/?token="):
            assert await status(stranger, "GET", base + path) == 403
        assert await status(stranger, "GET", address, Host="evil.example") == 421
        assert await status(stranger, "POST", address) == 405


async def test_the_token_leaves_the_address_and_leads_nowhere_else(store: Store) -> None:
    async with client(store.path) as (session, base, address):
        token = address.partition("token=")[2]
        for path in ("//evil.example/", "/\\evil.example/", "/run/r1"):
            url = f"{base}{path}?token={token}&model=a"
            async with session.get(url, allow_redirects=False) as answer:
                location = answer.headers["Location"]
            assert token not in location
            assert urlsplit(location).netloc == ""
            assert location.startswith("/")
            assert not location.startswith("//")


async def test_a_page_has_the_policy_and_the_script_is_a_file(store: Store) -> None:
    async with client(store.path) as (session, base, _), session.get(f"{base}/") as answer:
        assert answer.headers["Content-Security-Policy"] == POLICY
        assert "unsafe" not in POLICY
        async with session.get(f"{base}/view.js") as script:
            assert script.content_type == "text/javascript"
            assert len((await script.text()).splitlines()) <= 300


async def test_news_of_a_run_arrive_while_it_goes_on_and_end_with_it(store: Store) -> None:
    make_run(store)
    made = Made(store)
    async with client(store.path) as (session, base, _), session.get(f"{base}/events?run=r1") as answer:
        assert answer.content_type == "text/event-stream"
        assert (await event(answer))["scorings"] == "0"
        made.attempt("a", 1, Outcome.APPLIED)
        news = await event(answer)
        assert (news["scorings"], news["valid"], news["state"]) == ("1", "1 of 2", "running")
        finish(store, "r1", UTC, complete=True)
        assert (await event(answer))["state"] == "complete"
        assert b"data" not in await answer.content.read()


async def event(answer: aiohttp.ClientResponse) -> dict[str, str]:
    """The next event of a stream."""
    async with asyncio.timeout(30):
        while True:
            line = await answer.content.readline()
            if line.startswith(b"data: "):
                news: dict[str, str] = orjson.loads(line[6:])
                return news


async def test_a_database_that_is_still_to_be_made_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "later.db"
    async with client(path) as (session, base, _):
        assert await status(session, "GET", f"{base}/") == 404
        with_run = Store.open(path)
        make_run(with_run)
        assert await status(session, "GET", f"{base}/run/r1") == 200
        with_run.close()


async def test_a_port_that_is_taken_is_left_for_another(store: Store) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        async with served(store.path, port) as address:
            assert urlsplit(address).port not in {port, None}
            assert urlsplit(address).hostname == "127.0.0.1"


async def test_hostile_requests_are_answered(store: Store) -> None:
    three_models(store)
    async with client(store.path) as (session, base, _):
        for path in ("/%00", "/run/%ff%fe", "/run/..%2f..%2fetc%2fpasswd", "/run/r1?" + "&".join(["a=b"] * 500)):
            assert await status(session, "GET", base + path) in {200, 400, 404}


@pytest.mark.parametrize("name", ["view.css", "view.js"])
async def test_files_of_the_server_ask_for_nothing_elsewhere(store: Store, name: str) -> None:
    async with client(store.path) as (session, base, _), session.get(f"{base}/{name}") as answer:
        text = await answer.text()
    assert "http:" not in text
    assert "https:" not in text
    assert "innerHTML" not in text
    assert "@import" not in text
