"""Anthropic's batches: one request with all of them, and one file of results.

A batch has no metadata. It is found again among those of its time and size, and known by the custom ids of its results,
so one that has not ended may be any of its time and size.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

import orjson

from suts.batches import (
    SKEW_S,
    BatchAnswer,
    BatchEndpoint,
    BatchLine,
    BatchMark,
    BatchState,
    FoundBatch,
    batch_id_of,
    without_answer,
    word,
)
from suts.failures import failure
from suts.posting import Body


class AnthropicBatches:
    """The batches of one workspace."""

    def __init__(self, endpoint: BatchEndpoint) -> None:
        """Ask nothing yet."""
        self._endpoint = endpoint

    async def submit(self, lines: Sequence[BatchLine], mark: BatchMark) -> str:  # noqa: ARG002 - there is no place for it
        """Submit the requests."""
        requests = [{"custom_id": line.custom_id, "params": line.body} for line in lines]
        return batch_id_of(await self._endpoint.post("/messages/batches", orjson.dumps({"requests": requests})))

    async def find(self, mark: BatchMark) -> FoundBatch:
        """Return the batch whose results have an id of this mark; undecided while one of its size has not ended."""
        undecided = False
        async for batch in self._endpoint.listed("/messages/batches", "after_id"):
            if _made_s(batch) < mark.since_s - SKEW_S:
                break
            batch_id = word(batch, "id")
            if batch_id in mark.others or _size(batch) != mark.size:
                continue
            if word(batch, "processing_status") != "ended":
                undecided = True
            elif not mark.custom_ids.isdisjoint(await self.answers(batch_id)):
                return FoundBatch(batch_id)
        return FoundBatch("", undecided)

    async def state(self, batch_id: str) -> BatchState:
        """Return how far a batch is; the counts are 0 until it has ended."""
        batch = await self._endpoint.get(f"/messages/batches/{batch_id}")
        status = word(batch, "processing_status")
        return BatchState(status == "ended", status)

    async def answers(self, batch_id: str) -> Mapping[str, BatchAnswer]:
        """Return the results of a batch that has ended."""
        lines = await self._endpoint.lines(f"/messages/batches/{batch_id}/results")
        return {word(line, "custom_id"): _answer(line.get("result")) for line in lines}


def _made_s(batch: Body) -> float:
    """Return when a batch was made, in seconds since 1970; infinity if that cannot be read."""
    try:
        return datetime.fromisoformat(word(batch, "created_at")).timestamp()
    except ValueError:
        return float("inf")


def _size(batch: Body) -> int:
    """Return the number of requests of a batch, however far they are."""
    counts = batch.get("request_counts")
    values = counts.values() if isinstance(counts, dict) else ()
    return sum(value for value in values if isinstance(value, int))


def _answer(result: object) -> BatchAnswer:
    match result:
        case {"type": "succeeded", "message": dict() as message}:
            return orjson.dumps(message)
        case {"type": "errored", "error": dict() as error}:
            return failure(error.get("error") or error)
        case {"type": str() as kind}:
            return without_answer(kind)
        case _:
            return without_answer("its result cannot be read")
