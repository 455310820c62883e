"""OpenAI's batches: a file of lines is uploaded, a batch made of it, and its answers and errors are two more files.

A batch carries metadata, by which it is found again; there is no query for them, so the list is read, newest first.
"""

import asyncio
from collections.abc import Mapping, Sequence

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
    rows,
    without_answer,
    word,
)
from suts.failures import failure, refusal
from suts.posting import Body
from suts.sut import ErrorKind, SutError

_RUN, _LINES = "evals_run", "evals_lines"
# What metadata may hold.
_LONGEST_VALUE = 512
_ENDED = frozenset({"completed", "expired", "cancelled", "failed"})
_BOUNDARY = b"evals-batch-8b1f0c6d2e"


class OpenAiBatches:
    """The batches of one key; `path` is that of the requests, such as `/v1/chat/completions`."""

    def __init__(self, endpoint: BatchEndpoint, path: str) -> None:
        """Ask nothing yet."""
        self._endpoint = endpoint
        self._path = path

    async def submit(self, lines: Sequence[BatchLine], mark: BatchMark) -> str:
        """Upload the lines and make a batch of them."""
        uploaded = await self._endpoint.post(
            "/files", await asyncio.to_thread(self._form, lines), f"multipart/form-data; boundary={_BOUNDARY.decode()}"
        )
        submitted = await self._endpoint.post(
            "/batches",
            orjson.dumps(
                {
                    "input_file_id": word(uploaded, "id"),
                    "endpoint": self._path,
                    "completion_window": "24h",
                    "metadata": _metadata(mark),
                }
            ),
        )
        return batch_id_of(submitted)

    async def find(self, mark: BatchMark) -> FoundBatch:
        """Return the batch with the metadata of this mark."""
        expected = _metadata(mark)
        async for batch in self._endpoint.listed("/batches", "after"):
            made_s = batch.get("created_at")
            if isinstance(made_s, int | float) and made_s < mark.since_s - SKEW_S:
                break
            metadata = batch.get("metadata")
            known = isinstance(metadata, dict) and all(metadata.get(name) == value for name, value in expected.items())
            if known and word(batch, "id") not in mark.others:
                return FoundBatch(batch_id_of(batch))
        return FoundBatch("")

    async def state(self, batch_id: str) -> BatchState:
        """Return how far a batch is. Raises SutError(BAD_REQUEST) for one whose file is refused."""
        batch = await self._endpoint.get(f"/batches/{batch_id}")
        status = word(batch, "status")
        if status == "failed":
            errors = batch.get("errors")
            first = next(iter(rows(errors, "data")), {}) if isinstance(errors, dict) else {}
            message = word(first, "message") or "no reason is given"
            raise SutError(ErrorKind.BAD_REQUEST, f"the batch was refused: {message}", retryable=False)
        counts = batch.get("request_counts")
        done = f", {counts.get('completed')} of {counts.get('total')}" if isinstance(counts, dict) else ""
        return BatchState(status in _ENDED, f"{status}{done}")

    async def answers(self, batch_id: str) -> Mapping[str, BatchAnswer]:
        """Return the answers and the errors of a batch; one that expired has those that came before."""
        batch = await self._endpoint.get(f"/batches/{batch_id}")
        answers: dict[str, BatchAnswer] = {}
        for name in ("error_file_id", "output_file_id"):
            if file_id := word(batch, name):
                for line in await self._endpoint.lines(f"/files/{file_id}/content"):
                    answers[word(line, "custom_id")] = _answer(line)
        return answers

    def _form(self, lines: Sequence[BatchLine]) -> bytes:
        """Return the form that uploads the lines."""
        content = b"".join(
            orjson.dumps({"custom_id": line.custom_id, "method": "POST", "url": self._path, "body": line.body}) + b"\n"
            for line in lines
        )
        purpose = b'--%b\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n' % _BOUNDARY
        file = b'Content-Disposition: form-data; name="file"; filename="evals.jsonl"\r\nContent-Type: application/jsonl'
        return b"%b--%b\r\n%b\r\n\r\n%b\r\n--%b--\r\n" % (purpose, _BOUNDARY, file, content, _BOUNDARY)


def _metadata(mark: BatchMark) -> dict[str, str]:
    return {_RUN: mark.run_id[:_LONGEST_VALUE], _LINES: mark.digest}


def _answer(line: Body) -> BatchAnswer:
    """Return what a line holds: a refused request has its error in the body of its response."""
    error, response = line.get("error"), line.get("response")
    if isinstance(response, dict):
        status, body = response.get("status_code"), orjson.dumps(response.get("body"))
        if isinstance(status, int) and status >= 300:
            return refusal(body, status=status)
        return body
    if isinstance(error, dict) and word(error, "code").startswith("batch_"):
        return without_answer(word(error, "message") or word(error, "code"))
    return failure(error)
