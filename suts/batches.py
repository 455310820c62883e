"""Batch APIs: many requests are handed over at once, and their answers are collected up to a day later, at half price.

What both vendors share: a batch is submitted, asked about until it has ended, and its answers come in any order, each
with the custom id of its request. The answer to a submission may be lost though the batch was made, so a batch is
looked for before it is submitted again.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import orjson

from suts.failures import refusal
from suts.http import HttpStreams
from suts.posting import Body
from suts.reply import Reply
from suts.settings import Secret
from suts.sut import ErrorKind, SutError

# What a batch's answer costs, as a share of the list price (both vendors, November 2026).
BATCH_SHARE = 0.5
# Below both vendors' limits: 50,000 requests and 200 MB (OpenAI), 100,000 and 256 MB (Anthropic).
MOST_LINES = 50_000
MOST_BYTES = 100 << 20
_LARGEST_RESULT = 2 << 30
_GET = 4 << 20
_PAGE = 100
# How much the clock of a vendor may be behind ours, in seconds.
SKEW_S = 600.0


class BatchLine(NamedTuple):
    """A request of a batch: its custom id, which no other request of the run has, and its body."""

    custom_id: str
    body: Body


@dataclass(frozen=True, slots=True)
class BatchMark:
    """How a batch is recognized at its vendor's: by the run and the digest of its lines, or by time, size and ids.

    `since_s` (seconds since 1970) is not later than its submission, `size` the number of its requests, `custom_ids` are
    those of some; `others` are batches that are known to be others.
    """

    run_id: str
    digest: str
    since_s: float
    size: int
    custom_ids: frozenset[str]
    others: frozenset[str] = frozenset()


class FoundBatch(NamedTuple):
    """The id of a batch that was looked for, "" if there is none; `undecided`: one that has not ended may be it."""

    batch_id: str
    undecided: bool = False


class BatchState(NamedTuple):
    """Whether a batch has ended, and its state in the vendor's words."""

    ended: bool
    text: str


# The body of an answer, or why there is none.
BatchAnswer = bytes | SutError


class Batches(Protocol):
    """The batches of one account. Every method raises SutError, for a batch that was refused one without retries."""

    async def submit(self, lines: Sequence[BatchLine], mark: BatchMark) -> str:
        """Submit a batch and return its id."""
        ...

    async def find(self, mark: BatchMark) -> FoundBatch:
        """Return a batch that was submitted with this mark before."""
        ...

    async def state(self, batch_id: str) -> BatchState:
        """Return how far a batch is."""
        ...

    async def answers(self, batch_id: str) -> Mapping[str, BatchAnswer]:
        """Return the answers of a batch that has ended, by custom id. Raises SutError(CUT) if not all have come."""
        ...


class BatchEndpoint:
    """Small requests to an API of batches: JSON in, JSON out."""

    def __init__(self, http: HttpStreams, root: str, headers: Mapping[str, str], secrets: Sequence[Secret]) -> None:
        """`root` is the URL that paths follow, with its version."""
        self._http = http
        self._root = root
        self._headers = headers
        self._secrets = secrets

    async def get(self, path: str) -> Body:
        """Return the object at a path."""
        return _object(await self._exchange(path, None, self._headers, _GET))

    async def post(self, path: str, body: bytes, content_type: str = "application/json") -> Body:
        """Post a body and return the object in the reply."""
        return _object(await self._exchange(path, body, {**self._headers, "Content-Type": content_type}, _GET))

    async def lines(self, path: str) -> list[Body]:
        """Return the objects of a file of JSON lines, without lines that are none: they do not cost the others.

        Raises SutError(CUT) for a file that breaks off.
        """
        reply = await self._exchange(path, None, self._headers, _LARGEST_RESULT)
        if not reply.whole:
            raise SutError(ErrorKind.CUT, "the results of the batch broke off")
        return [value for line in reply.body.split(b"\n") if isinstance(value := _json(line), dict)]

    async def listed(self, path: str, cursor: str) -> AsyncIterator[Body]:
        """Yield the objects of a list, newest first, page by page; `cursor` names the last of the page before."""
        after = ""
        while True:
            page = await self.get(f"{path}?limit={_PAGE}{after and f'&{cursor}={after}'}")
            objects = rows(page, "data")
            for item in objects:
                yield item
            if not objects or page.get("has_more") is not True:
                return
            after = word(objects[-1], "id")

    async def _exchange(self, path: str, body: bytes | None, headers: Mapping[str, str], limit: int) -> Reply:
        reply = await self._http.exchange(f"{self._root}{path}", headers, body, limit=limit, total_s=None)
        if reply.status >= 300:
            wait_s = reply.retry_after_s
            raise refusal(reply.body, status=reply.status, retry_after_s=wait_s, secrets=self._secrets)
        return reply


def _object(reply: Reply) -> Body:
    value = reply.json
    if not isinstance(value, dict):
        raise SutError(ErrorKind.MALFORMED, "the batch API answered with something else than a JSON object")
    return value


def _json(line: bytes) -> object:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return None


def batch_id_of(batch: Body) -> str:
    """Return the vendor's id of a batch. Raises SutError(MALFORMED) where it is missing."""
    batch_id = word(batch, "id")
    if not batch_id:
        raise SutError(ErrorKind.MALFORMED, "the batch API answered without the id of a batch")
    return batch_id


def word(values: Mapping[str, object], name: str) -> str:
    """Return a member that is a text; "" for another."""
    value = values.get(name)
    return value if isinstance(value, str) else ""


def rows(values: Mapping[str, object], name: str) -> list[Body]:
    """Return the objects of a member that is an array; none for another."""
    value = values.get(name)
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def without_answer(text: str) -> SutError:
    """Return what stands for a request that its batch did not answer, and that can be asked again."""
    return SutError(ErrorKind.SERVER, f"the batch did not answer this request: {text}")
