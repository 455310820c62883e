"""A system of one's own behind HTTP: each question is a POST of JSON, each answer the body of the reply."""

import asyncio
import json
import socket
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from runner.errors import InputError
from runner.json_texts import parse_json
from runner.suites.nextedit.editor import EditorError, EditorSession, Mishap
from runner.suites.nextedit.systems.own_form import Question
from suts.connection import is_loopback
from suts.http import HttpStreams
from suts.network import Route
from suts.sut import SutError

_HEADERS = {"Content-Type": "application/json", "Accept": "application/json"}
_LONGEST_ANSWER = 64 << 20
_FAREWELL_S = 10.0
_REACHED_S = 5.0
_PORTS = {"http": 80, "https": 443}
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class HttpAddress:
    """Where a system listens, how it is reached, and how many seconds it has for an answer."""

    url: str
    route: Route
    question_s: float

    @property
    def is_here(self) -> bool:
        """Whether it runs on this machine, and so can read a tree on it."""
        return is_loopback(self.url)

    def check(self) -> None:
        """Raise InputError where nothing listens; what is behind a proxy is not known beforehand."""
        if self.route.proxy:
            return
        parts = urlsplit(self.url)
        try:
            socket.create_connection((parts.hostname, parts.port or _PORTS[parts.scheme]), timeout=_REACHED_S).close()
        except OSError as error:
            raise InputError(
                f"--model-ids {self.url}: cannot be reached ({error.strerror or error}); start the system, or correct"
                " the address"
            ) from error


class HttpTransport:
    """Posts questions to an address; `now_ns` is the clock of the connections."""

    def __init__(self, address: HttpAddress, now_ns: Callable[[], int]) -> None:
        """Connect to nothing yet."""
        self._address = address
        self._http = HttpStreams(route=address.route, now_ns=now_ns)
        self._heard = False

    @property
    def begun(self) -> bool:
        """Whether it has replied to a question, whatever that was."""
        return self._heard

    async def answer_to(self, question: Question, session: EditorSession) -> object:  # noqa: ARG002 - the Protocol's
        """The reply's JSON. Raises EditorError, and SutError where there is nobody to reply."""
        seconds = self._address.question_s
        try:
            async with asyncio.timeout(seconds):
                return await self._posted(question)
        except TimeoutError as error:
            raise EditorError(Mishap.TIMEOUT, f"no answer within {seconds:g} s") from error

    async def aclose(self, farewell: Question | None) -> None:
        """Post the farewell to a system that was heard of, and close the connections."""
        try:
            if farewell is not None and self._heard:
                async with asyncio.timeout(_FAREWELL_S):
                    await self._posted(farewell)
        except (TimeoutError, EditorError, SutError):
            return  # the commit is over: a system that cannot take its leave costs nothing
        finally:
            await self._http.aclose()

    async def _posted(self, question: Question) -> object:
        body = json.dumps(question).encode("ascii")
        reply = await self._http.exchange(self._address.url, _HEADERS, body, limit=_LONGEST_ANSWER, total_s=None)
        self._heard = True
        text = reply.body.decode("utf-8", "replace")
        if not 200 <= reply.status < 300:
            body_text = " ".join(text.split())[:_SHOWN]
            raise EditorError(Mishap.CRASHED, f"it replied with status {reply.status}: {body_text or 'no text'}")
        if not reply.whole:
            raise EditorError(Mishap.NONSENSE, f"its answer ends too early, or has more than {_LONGEST_ANSWER:,} bytes")
        try:
            return parse_json(text, json.loads)
        except ValueError as error:
            raise EditorError(Mishap.NONSENSE, f"its answer is no JSON: {error}") from error
