"""The batch APIs of both vendors, in memory: files, batches, their states, and what goes wrong with them.

Each line is answered when its batch is made, as a request of its own would be; the answers can be had once the batch
has ended, in another order than that of the lines.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from urllib.parse import parse_qs

import orjson

from suts.simulated.batch_forms import (
    BATCH_WIRES,
    MESSAGE_BATCHES,
    AnsweredLine,
    SimulatedBatch,
    message_batch,
    message_result,
    openai_batch,
    openai_line,
)
from suts.simulated.draws import unit
from suts.simulated.spec import WireName
from suts.simulated.tool_choice import is_object

_MESSAGES: Final = MESSAGE_BATCHES
_BATCHES: Final = "/batches"
_FILES: Final = "/files"
_PAGE: Final = 20

# Answers a request of a wire by its status and its body.
AnswerLine = Callable[[WireName, bytes], tuple[int, bytes]]


@dataclass(frozen=True, slots=True)
class BatchFaults:
    """How batches behave: they end at the question after so many `polls`, lists included; a share of lines `expired`.

    The reply to each of the first `lost` submissions is lost, and each of the first `cut` downloads breaks off.
    """

    polls: int = 0
    expired: float = 0.0
    lost: int = 0
    cut: int = 0


def parse_batch_faults(text: str) -> BatchFaults:
    """Return what `polls=2,expired=0.5,lost=1,cut=1` says. Raises ValueError with one line."""
    values: dict[str, float] = {}
    for part in filter(None, text.split(",")):
        name, _, value = part.partition("=")
        try:
            values[name] = float(value)
        except ValueError:
            values[name] = -1.0
        if name not in BatchFaults.__slots__ or values[name] < 0 or (name == "expired" and values[name] > 1):
            known = ", ".join(BatchFaults.__slots__)
            raise ValueError(f"--batches: {part!r} is none of {known} with a number, such as polls=2,expired=0.5")
    counts = {name: int(values.get(name, 0)) for name in ("polls", "lost", "cut")}
    return BatchFaults(**counts, expired=values.get("expired", 0.0))


class BatchPage(NamedTuple):
    """The reply to a request about batches; a `broken` one does not arrive whole, one without a body not at all."""

    body: bytes
    broken: bool = False


class NoSuchBatchError(Exception):
    """A request that names nothing that is there, or cannot be read; `status` is that of the reply."""

    def __init__(self, status: int, message: str) -> None:
        """Keep the status beside the message."""
        super().__init__(message)
        self.status = status


@dataclass(slots=True)
class SimulatedBatches:
    """All files and batches of a server; `unix_s` is the wall clock in seconds."""

    answer: AnswerLine
    faults: BatchFaults
    unix_s: Callable[[], float]
    _files: dict[str, bytes] = field(default_factory=dict)
    _batches: list[SimulatedBatch] = field(default_factory=list)
    _lost: int = 0
    _cut: int = 0

    @staticmethod
    def has(path: str) -> bool:
        """Return whether a path, without its version, is one of batches or files."""
        return path.startswith((_MESSAGES, _BATCHES, _FILES))

    def page(self, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes) -> BatchPage:
        """Answer a request. Raises NoSuchBatchError."""
        if path.startswith(_MESSAGES):
            return self._messages(method, path.removeprefix(_MESSAGES), query, body)
        if path.startswith(_FILES):
            return self._file(method, path.removeprefix(_FILES), headers, body)
        return self._openai(method, path.removeprefix(_BATCHES), query, body)

    def _messages(self, method: str, path: str, query: str, body: bytes) -> BatchPage:
        match method, path.strip("/").split("/"):
            case "POST", [""]:
                requests = _objects(_read(body).get("requests"))
                lines = [(str(line.get("custom_id")), orjson.dumps(line.get("params"))) for line in requests]
                return self._submitted(self._add("anthropic-messages", lines, None))
            case "GET", [""]:
                page, more = self._listed("anthropic-messages", query, "after_id")
                return BatchPage(orjson.dumps({"data": [message_batch(batch) for batch in page], "has_more": more}))
            case "GET", [batch_id]:
                return BatchPage(orjson.dumps(message_batch(self._polled(batch_id))))
            case "GET", [batch_id, "results"]:
                batch = self._of(batch_id)
                if not batch.ended:
                    raise NoSuchBatchError(404, "the batch has not ended")
                return self._download([message_result(batch, line) for line in batch.shuffled])
            case "POST", [batch_id, "cancel"]:
                return BatchPage(orjson.dumps(message_batch(self._cancelled(batch_id))))
            case _:
                raise NoSuchBatchError(404, f"there is no {method} {_MESSAGES}{path}")

    def _openai(self, method: str, path: str, query: str, body: bytes) -> BatchPage:
        match method, path.strip("/").split("/"):
            case "POST", [""]:
                return self._submitted(self._add_file(_read(body)))
            case "GET", [""]:
                page, more = self._listed("openai", query, "after")
                return BatchPage(orjson.dumps({"data": [openai_batch(batch) for batch in page], "has_more": more}))
            case "GET", [batch_id]:
                return BatchPage(orjson.dumps(openai_batch(self._polled(batch_id))))
            case "POST", [batch_id, "cancel"]:
                return BatchPage(orjson.dumps(openai_batch(self._cancelled(batch_id))))
            case _:
                raise NoSuchBatchError(404, f"there is no {method} {_BATCHES}{path}")

    def _file(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> BatchPage:
        match method, path.strip("/").split("/"):
            case "POST", [""]:
                file_id = f"file-sim{len(self._files) + 1}"
                self._files[file_id] = _uploaded(headers.get("content-type", ""), body)
                return BatchPage(orjson.dumps({"id": file_id, "object": "file", "purpose": "batch"}))
            case "GET", [file_id, "content"] if "-of-" in file_id:
                kind, _, batch_id = file_id.partition("-of-")
                batch = self._of(batch_id)
                lines = [line for line in batch.shuffled if (batch.outcome(line) == "succeeded") is (kind == "output")]
                return self._download([openai_line(batch, line) for line in lines])
            case "GET", [file_id, "content"] if file_id in self._files:
                return BatchPage(self._files[file_id])
            case _:
                raise NoSuchBatchError(404, f"there is no {method} {_FILES}{path}")

    def _add_file(self, values: Mapping[str, object]) -> SimulatedBatch:
        wire = BATCH_WIRES.get(str(values.get("endpoint")))
        content = self._files.get(str(values.get("input_file_id")))
        if wire is None or content is None:
            raise NoSuchBatchError(400, "endpoint or input_file_id is none that is there")
        lines = [_read(line) for line in content.splitlines() if line.strip()]
        return self._add(
            wire,
            [(str(line.get("custom_id")), orjson.dumps(line.get("body"))) for line in lines],
            values.get("metadata"),
        )

    def _add(self, wire: WireName, lines: Sequence[tuple[str, bytes]], metadata: object) -> SimulatedBatch:
        if len({custom_id for custom_id, _ in lines}) < len(lines) or not lines:
            raise NoSuchBatchError(400, "custom_id: each line needs one of its own")
        number = len(self._batches) + 1
        name = "msgbatch" if wire == "anthropic-messages" else "batch"
        batch = SimulatedBatch(f"{name}_sim{number}", wire, self.unix_s(), self.faults.polls, metadata)
        for custom_id, body in lines:
            # What expires is never asked.
            expires = unit((batch.batch_id, custom_id, "expires")) < self.faults.expired
            batch.lines.append(AnsweredLine(custom_id, *((0, b"") if expires else self.answer(wire, body))))
        self._batches.append(batch)
        return batch

    def _submitted(self, batch: SimulatedBatch) -> BatchPage:
        self._lost += 1
        if self._lost <= self.faults.lost:
            return BatchPage(b"", broken=True)
        is_anthropics = batch.wire == "anthropic-messages"
        return BatchPage(orjson.dumps(message_batch(batch) if is_anthropics else openai_batch(batch)))

    def _download(self, lines: Sequence[object]) -> BatchPage:
        self._cut += 1
        body = b"".join(orjson.dumps(line) + b"\n" for line in lines)
        return BatchPage(body, broken=self._cut <= self.faults.cut)

    def _listed(self, vendor: str, query: str, cursor: str) -> tuple[list[SimulatedBatch], bool]:
        """Return a page of a vendor's batches, newest first, and whether more follow."""
        values = parse_qs(query)
        batches = [batch for batch in reversed(self._batches) if batch.wire.startswith(vendor)]
        after = next(iter(values.get(cursor, [])), "")
        ids = [batch.batch_id for batch in batches]
        start = ids.index(after) + 1 if after in ids else 0
        end = start + int(next(iter(values.get("limit", [])), _PAGE))
        for batch in batches[start:end]:
            batch.polls += 1
        return batches[start:end], end < len(batches)

    def _of(self, batch_id: str) -> SimulatedBatch:
        for batch in self._batches:
            if batch.batch_id == batch_id:
                return batch
        raise NoSuchBatchError(404, f"there is no batch {batch_id}")

    def _polled(self, batch_id: str) -> SimulatedBatch:
        batch = self._of(batch_id)
        batch.polls += 1
        return batch

    def _cancelled(self, batch_id: str) -> SimulatedBatch:
        batch = self._of(batch_id)
        batch.cancelled = batch.cancelled or not batch.ended
        return batch


def _uploaded(content_type: str, body: bytes) -> bytes:
    """Return the file of a form. Raises NoSuchBatchError."""
    boundary = content_type.partition("boundary=")[2].strip('"').encode()
    for part in body.split(b"--" + boundary) if boundary else ():
        head, _, content = part.partition(b"\r\n\r\n")
        if b'name="file"' in head:
            return content.removesuffix(b"\r\n")
    raise NoSuchBatchError(400, "the form has no file")


def _read(body: bytes) -> Mapping[str, object]:
    try:
        values: object = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise NoSuchBatchError(400, f"the body is not JSON: {error}") from error
    if not is_object(values):
        raise NoSuchBatchError(400, "the body is no JSON object")
    return values


def _objects(value: object) -> list[Mapping[str, object]]:
    return [row for row in value if is_object(row)] if isinstance(value, list) else []
