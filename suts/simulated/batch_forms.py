"""Batches as both vendors show them: what is known of one, and its results."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, NamedTuple

import orjson

from suts.simulated.draws import unit
from suts.simulated.spec import WireName

BATCH_WIRES: Final[Mapping[str, WireName]] = {
    "/v1/chat/completions": "openai-chat",
    "/v1/responses": "openai-responses",
}
MESSAGE_BATCHES: Final = "/messages/batches"
_OK: Final = 200


class AnsweredLine(NamedTuple):
    """A line of a batch with the status and the body of its answer; status 0: it expired."""

    custom_id: str
    status: int
    body: bytes


@dataclass(slots=True)
class SimulatedBatch:
    """A batch, made at `made_s` (seconds since 1970), that ends when it was asked about more than `patience` times."""

    batch_id: str
    wire: WireName
    made_s: float
    patience: int
    metadata: object = None
    lines: list[AnsweredLine] = field(default_factory=list)
    polls: int = 0
    cancelled: bool = False

    @property
    def ended(self) -> bool:
        """Whether its results can be had."""
        return self.cancelled or self.polls > self.patience

    @property
    def shuffled(self) -> list[AnsweredLine]:
        """The lines in another order than that of the requests, always the same."""
        return sorted(self.lines, key=lambda line: unit((self.batch_id, line.custom_id)))

    @property
    def outcomes(self) -> list[str]:
        """How the lines ended; none until the batch has."""
        return [self.outcome(line) for line in self.lines] if self.ended else []

    def outcome(self, line: AnsweredLine) -> str:
        """Return how a line ended, in Anthropic's words."""
        if self.cancelled:
            return "canceled"
        return {0: "expired", _OK: "succeeded"}.get(line.status, "errored")


def openai_batch(batch: SimulatedBatch) -> dict[str, object]:
    """Return a batch as OpenAI shows it."""
    ended, outcomes = batch.ended, batch.outcomes
    answered = outcomes.count("succeeded")
    state = "expired" if "expired" in outcomes else "completed"
    return {
        "id": batch.batch_id,
        "object": "batch",
        "endpoint": next(path for path, wire in BATCH_WIRES.items() if wire == batch.wire),
        "status": "cancelled" if batch.cancelled else state if ended else "in_progress",
        "created_at": int(batch.made_s),
        "metadata": batch.metadata,
        "output_file_id": f"output-of-{batch.batch_id}" if answered else None,
        "error_file_id": f"error-of-{batch.batch_id}" if answered < len(outcomes) else None,
        "request_counts": {
            "total": len(batch.lines),
            "completed": answered,
            "failed": len(outcomes) - answered,
        },
    }


def message_batch(batch: SimulatedBatch) -> dict[str, object]:
    """Return a batch as Anthropic shows it."""
    ended, outcomes = batch.ended, batch.outcomes
    return {
        "id": batch.batch_id,
        "type": "message_batch",
        "processing_status": "ended" if ended else "in_progress",
        "created_at": datetime.fromtimestamp(batch.made_s, UTC).isoformat(),
        "request_counts": {
            "processing": 0 if ended else len(batch.lines),
            "succeeded": outcomes.count("succeeded"),
            "errored": outcomes.count("errored"),
            "canceled": outcomes.count("canceled"),
            "expired": outcomes.count("expired"),
        },
        "results_url": f"/v1{MESSAGE_BATCHES}/{batch.batch_id}/results" if ended else None,
    }


def openai_line(batch: SimulatedBatch, line: AnsweredLine) -> dict[str, object]:
    """Return a line of OpenAI's files of results and of errors."""
    outcome = batch.outcome(line)
    response = error = None
    if outcome in {"succeeded", "errored"}:
        response = {"status_code": line.status, "request_id": "req_sim", "body": orjson.loads(line.body)}
    else:
        error = {"code": f"batch_{outcome}", "message": "this request could not be executed before the end"}
    return {"id": f"batch_req_{line.custom_id}", "custom_id": line.custom_id, "response": response, "error": error}


def message_result(batch: SimulatedBatch, line: AnsweredLine) -> dict[str, object]:
    """Return a line of Anthropic's file of results."""
    result: dict[str, object] = {"type": batch.outcome(line)}
    if result["type"] in {"succeeded", "errored"}:
        result["message" if result["type"] == "succeeded" else "error"] = orjson.loads(line.body)
    return {"custom_id": line.custom_id, "result": result}
