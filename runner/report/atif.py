"""Attempts as trajectories in Harbor's interchange format (ATIF), one JSON object per attempt.

A trajectory has the system prompt, the conversation as it was sent, and the answer: of a coding agent a step for each
answer of its model, of any other system one step. The format has no field for failed calls, outcomes and scores: these
are in `extra`. Its rules: steps are numbered from 1; what only agents have stands on steps of agents alone; a result
names a call of its own step; prompt tokens include cached ones.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from typing import Any, Final

from runner.json_texts import parse_json
from runner.recordings.transcript import Transcript, TranscriptCall, TranscriptTurn
from runner.recordings.vocabulary import AgentUsage, CallStatus
from runner.report.attempt import with_question
from runner.report.export import Record
from runner.report.transcripts import stored_transcript
from runner.storage.rows import to_json
from runner.storage.store import Row, Store

SCHEMA: Final = "ATIF-v1.8"
_SOURCES: Final = {"user": "user", "assistant": "agent"}
_EXTRA: Final = (
    "run_id", "case_id", "number", "try", "step", "mode", "prompt", "parser", "diff_algorithm", "simulated", "outcome",
    "class", "valid", "solved", "equals_expected", "error_text", "finish_reason", "time_to_first_token_ms",
    "time_to_first_edit_ms", "round_trip_ms", "scores", "variant",
)  # fmt: skip

Fields = dict[str, Any]


def as_atif(store: Store, run: Row, rows: Iterable[Record]) -> Iterator[str]:
    """Yield one trajectory a line."""
    for record in rows:
        yield to_json(trajectory(with_question(store, run, record), stored_transcript(store, run, record))) + "\n"


def trajectory(record: Record, transcript: Transcript | None) -> Fields:
    """Return the trajectory of an attempt with its question, and with its transcript if a coding agent made it."""
    steps = [*_questions(record), *([_answer(record)] if transcript is None else _turns(record, transcript))]
    agent = transcript is not None and transcript.agent
    parts = (record["model_id"], record["prompt"], record["parser"], record["diff_algorithm"], record["case_id"])
    place = (record["mode"], record["step"], record["number"], record["try"])
    return _known(
        schema_version=SCHEMA,
        session_id=record["run_id"],
        trajectory_id="/".join(str(part) for part in (record["run_id"], *parts, *place) if part not in (None, "")),
        agent=_known(
            name=agent or "evals",
            version=(transcript.version if transcript is not None and agent else "") or version("evals"),
            model_name=record["model_id"],
        ),
        steps=[{"step_id": number, **step} for number, step in enumerate(steps, 1)],
        final_metrics=_final(record, len(steps)),
        extra=_known(
            **{name: record[name] for name in _EXTRA},
            claims=_claims(transcript) if transcript is not None else None,
        ),
    )


def _questions(record: Record) -> Iterator[Fields]:
    """Yield the steps of the question; earlier answers in it were written for the case, by no model."""
    if record["system_prompt"]:
        yield {"source": "system", "message": record["system_prompt"]}
    for message in record["messages"] or []:
        source = _SOURCES.get(message["role"], "user")
        own = {"llm_call_count": 0} if source == "agent" else {}
        yield {"source": source, "message": message["text"], **own}


def _answer(record: Record) -> Fields:
    prompt = [record[name] for name in ("input_tokens", "cache_read_tokens", "cache_write_tokens")]
    known = [count for count in prompt if count is not None]
    return _known(
        source="agent",
        timestamp=record["sent_at"],
        model_name=record["served_model"] or record["model_id"],
        message=record["raw_output"] or "",
        metrics=_known(
            prompt_tokens=sum(known) if known else None,
            completion_tokens=record["output_tokens"],
            cached_tokens=record["cache_read_tokens"],
            cost_usd=record["cost_usd"],
        )
        or None,
        llm_call_count=1,
    )


def _turns(record: Record, transcript: Transcript) -> Iterator[Fields]:
    """Yield a step for each answer of an agent's model."""
    for turn in transcript.turns:
        usage = turn.usage
        yield _known(
            source="agent",
            timestamp=_moment(record["sent_at"], turn.began_ns),
            model_name=(usage.model if usage else "") or record["model_id"],
            message=turn.text,
            reasoning_content=turn.reasoning or None,
            tool_calls=[_call(call) for call in turn.calls] or None,
            observation=_observation(turn),
            metrics=_metrics(usage) if usage else None,
            llm_call_count=1,
            extra=_known(status=turn.status if turn.status >= 400 else None, side=turn.side or None) or None,
        )


def _call(call: TranscriptCall) -> Fields:
    """Return a call; arguments that are no object, as of a call that was cut, are kept as text beside."""
    try:
        values = parse_json(call.arguments)
    except ValueError:
        values = None
    own = {"arguments": values} if isinstance(values, dict) else {"arguments": {}, "extra": {"text": call.arguments}}
    return {"tool_call_id": call.call_id, "function_name": call.tool, **own}


def _observation(turn: TranscriptTurn) -> Fields | None:
    results = [
        _known(
            source_call_id=call.call_id,
            content=call.result,
            extra=_known(is_error=call.status is CallStatus.FAILED, cause=call.cause),
        )
        for call in turn.calls
        if call.result is not None
    ]
    return {"results": results} if results else None


def _metrics(usage: AgentUsage) -> Fields:
    return _known(
        prompt_tokens=usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
        completion_tokens=usage.output_tokens,
        cached_tokens=usage.cache_read_tokens,
        cost_usd=usage.cost_usd,
    )


def _final(record: Record, steps: int) -> Fields:
    metrics = _answer(record).get("metrics", {})
    return {**{f"total_{name}": value for name, value in metrics.items()}, "total_steps": steps}


def _claims(transcript: Transcript) -> Fields | None:
    claims = transcript.claims
    return _known(**{name: getattr(claims, name) for name in claims.__slots__ if name != "reason"}) or None


def _moment(sent_at: str | None, offset_ns: int | None) -> str | None:
    if sent_at is None or offset_ns is None:
        return sent_at
    moment = datetime.fromisoformat(sent_at) + timedelta(microseconds=offset_ns // 1000)
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _known(**fields: object) -> Fields:
    """Return the fields that are known: the format leaves others out."""
    return {name: value for name, value in fields.items() if value is not None}
