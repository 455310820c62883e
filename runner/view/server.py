"""The server of the pages: on this machine alone, for readers with the token; it writes nothing."""

import asyncio
import errno
import secrets
import socket
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl, unquote

from aiohttp import web

from runner.console import say
from runner.errors import InputError
from runner.pages.drawing import template_text
from runner.view.events import news
from runner.view.filters import Query
from runner.view.guard import HEADERS, TOKEN, Guard
from runner.view.reading import Reader

HOST = "127.0.0.1"
# More pages that listen for news would be forgotten windows.
MOST_LISTENERS = 20
MOST_FIELDS = 200
_HTML, _PLAIN = "text/html", "text/plain"
_FILES = {"view.css": "text/css", "view.js": "text/javascript"}


@asynccontextmanager
async def served(db: Path, port: int) -> AsyncIterator[str]:
    """Serve the pages of a database while the block runs; the address that lets a browser in.

    Where the port is taken, another one is. Raises InputError where none can be had.
    """
    listening = _listening(port)
    guard = Guard(secrets.token_urlsafe(32), listening.getsockname()[1])
    with Reader(db) as reader:
        pages = _Pages(reader, guard)
        runner = web.ServerRunner(web.Server(pages.answer, access_log=None), shutdown_timeout=0.5)
        await runner.setup()
        await web.SockSite(runner, listening).start()
        try:
            yield guard.address()
        finally:
            pages.close()
            await runner.cleanup()


def _listening(port: int) -> socket.socket:
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        if port and error.errno in {errno.EADDRINUSE, errno.EACCES}:
            return _listening(0)
        raise InputError(f"--port {port}: cannot be listened on ({error.strerror}); name another") from error


class _Pages:
    """Answers requests; `close` ends the news."""

    def __init__(self, reader: Reader, guard: Guard) -> None:
        self._reader = reader
        self._guard = guard
        self._closed = asyncio.Event()
        self._listeners = 0

    def close(self) -> None:
        self._closed.set()

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        refusal = self._guard.refusal(request.method, request.headers.get("Host", ""))
        if refusal is not None:
            return _text(*refusal)
        try:
            query = parse_qsl(request.rel_url.raw_query_string, errors="replace", max_num_fields=MOST_FIELDS)
        except ValueError:
            return _text(400, f"An address has at most {MOST_FIELDS} fields.")
        offered = dict(query).get(TOKEN)
        if self._guard.admits(offered):
            return self._let_in(request, query)
        if not self._guard.admits(request.cookies.get(self._guard.cookie)):
            return _text(403, "The address that `evals view` prints has the token for these pages.")
        parts = [unquote(part, errors="replace") for part in request.rel_url.raw_path.split("/") if part]
        if parts == ["events"]:
            return await self._news(request, dict(query).get("run", ""))
        if len(parts) == 1 and parts[0] in _FILES:
            return _response(200, _file(parts[0]), _FILES[parts[0]])
        return await self._page(parts, query)

    def _let_in(self, request: web.BaseRequest, query: Query) -> web.Response:
        """Keep the token in a cookie, and lead to the address without it."""
        clean = request.rel_url.with_query([pair for pair in query if pair[0] != TOKEN])
        response = _text(303, "")
        # A path of two slashes would lead to another server.
        response.headers["Location"] = "/" + str(clean).lstrip("/")
        response.set_cookie(self._guard.cookie, self._guard.token, httponly=True, samesite="Strict", path="/")
        return response

    async def _page(self, parts: list[str], query: Query) -> web.Response:
        try:
            drawn = await self._reader.page(parts, query)
        except Exception:  # noqa: BLE001 - a bug of one page does not end the others; the terminal shows it
            say(traceback.format_exc())
            return _text(500, "This page has a bug; the terminal of `evals view` shows it.")
        return _response(drawn.status, drawn.html, _HTML)

    async def _news(self, request: web.BaseRequest, run_id: str) -> web.StreamResponse:
        if self._listeners >= MOST_LISTENERS:
            return _text(503, "Too many pages listen for news; close some.")
        response = web.StreamResponse(headers=HEADERS)
        response.content_type = "text/event-stream"
        self._listeners += 1
        try:
            await response.prepare(request)
            async for event in news(self._reader, run_id, self._pause):
                await response.write(event)
                if self._closed.is_set():
                    break
        except ConnectionError:
            # The window was closed.
            pass
        finally:
            self._listeners -= 1
        return response

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._closed.wait(), seconds)


@cache
def _file(name: str) -> str:
    """Return one of the two files beside the pages."""
    own = template_text("runner.view", name)
    return template_text("runner.pages", "report.css") + own if name == "view.css" else own


def _response(status: int, text: str, content_type: str) -> web.Response:
    body = text.encode("utf-8", "replace")
    return web.Response(status=status, body=body, content_type=content_type, charset="utf-8", headers=HEADERS)


def _text(status: int, words: str) -> web.Response:
    return _response(status, words, _PLAIN)
