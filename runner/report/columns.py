"""Attempts and steps as rows of plain columns, each of one type, for tables of other programs."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Literal

from runner.report.export import Record, records
from runner.storage.rows import detail_of, to_json
from runner.storage.store import Row, Store

Kind = Literal["text", "whole", "number", "flag", "time"]
FlatRow = dict[str, str | int | float | bool | datetime | None]

_WHOLE = (
    "step", "number", "try", "num_edits", "lines_added", "lines_removed", "input_tokens", "cache_read_tokens",
    "cache_write_tokens", "output_tokens", "reasoning_tokens", "retries",
)  # fmt: skip
_NUMBERS = (
    "cost_usd", "provider_cost_usd", "list_cost_usd", "server_prompt_ms", "server_output_ms", "time_to_first_token_ms",
    "time_to_first_edit_ms", "time_to_first_line_ms", "call_closed_ms", "round_trip_ms",
)  # fmt: skip
_FLAGS = ("simulated", "valid", "applied", "solved", "equals_expected", "parses_before", "parses_after")
_TEXTS = (
    "run_id", "model_id", "prompt", "parser", "diff_algorithm", "case_id", "mode", "outcome", "error_text",
    "finish_reason", "served_model", "upstream", "endpoint", "prompt_digest", "parser_digest", "algorithm_digest",
    "variant", "class",
)  # fmt: skip
# Whole files, answers and JSON, which few tables need.
LONG_TEXTS = ("parsed_calls", "blocks", "detail", "request", "raw_output", "edited_file")
_METRICS = """
SELECT DISTINCT metric FROM scores JOIN scorings USING (scoring_id) WHERE run_id = ? ORDER BY metric"""
_STEPS = """
SELECT s.run_id, l.sut AS model_id, l.prompt, s.parser, s.diff_algorithm, l.case_id, a.step, s.outcome, s.valid,
    s.solved, s.detail, s.scoring_id
FROM scorings s JOIN answers a USING (answer_id) JOIN lanes l USING (lane_id)
WHERE s.run_id = ? AND json_extract(s.detail, '$.step') IS NOT NULL
ORDER BY l.sut, l.prompt, l.case_id, a.step, s.parser, s.diff_algorithm"""
_STEP_COLUMNS: Mapping[str, Kind] = {
    "run_id": "text",
    "model_id": "text",
    "prompt": "text",
    "parser": "text",
    "diff_algorithm": "text",
    "case_id": "text",
    "step": "whole",
    "outcome": "text",
    "valid": "flag",
    "solved": "flag",
    "made": "whole",
    "allowed": "whole",
    "predictions": "whole",
    "matches": "whole",
    "precision": "number",
    "recall": "number",
    "f1": "number",
    "latency_ms": "number",
    "fill_ms": "number",
}


def attempt_columns(store: Store, run_id: str) -> dict[str, Kind]:
    """Return the columns of a run's attempts with their types; each metric has one, `score_` before its name."""
    kinds: tuple[tuple[tuple[str, ...], Kind], ...] = (
        (_TEXTS, "text"),
        (_WHOLE, "whole"),
        (_NUMBERS, "number"),
        (_FLAGS, "flag"),
        (("sent_at",), "time"),
        (LONG_TEXTS, "text"),
    )
    columns = {name: kind for names, kind in kinds for name in names}
    return columns | dict.fromkeys(_scores(store, run_id), "number")


def attempt_rows(store: Store, run_id: str) -> Iterator[FlatRow]:
    """Yield the attempts of a run with these columns: one for each scoring and for each failure of infrastructure."""
    columns = attempt_columns(store, run_id)
    for record in records(store, run_id):
        scores = {f"score_{name}": value for name, value in (record["scores"] or {}).items()}
        yield {name: _value({**record, **scores}, name, kind) for name, kind in columns.items()}


def step_columns(store: Store, run_id: str) -> dict[str, Kind]:
    """Return the columns of the steps of a run with their types."""
    return {**_STEP_COLUMNS, **dict.fromkeys(_scores(store, run_id), "number")}


def step_rows(store: Store, run_id: str) -> Iterator[FlatRow]:
    """Yield the judged steps of a run of next edits; none for other suites.

    `made` is the number of the edit that was made, `allowed`, `predictions` and `matches` count.
    """
    columns = step_columns(store, run_id)
    for row in store.stream(_STEPS, run_id):
        values = _step_values(store, row)
        yield {name: _value(values, name, kind) for name, kind in columns.items()}


def _step_values(store: Store, row: Row) -> Record:
    detail = {name: len(value) if isinstance(value, list) else value for name, value in detail_of(row).items()}
    scores = store.rows("SELECT metric, value FROM scores WHERE scoring_id = ?", row["scoring_id"])
    return {**detail, **dict(row), **{f"score_{score['metric']}": score["value"] for score in scores}}


def _scores(store: Store, run_id: str) -> list[str]:
    return [f"score_{row['metric']}" for row in store.rows(_METRICS, run_id)]


def _value(record: Record, name: str, kind: Kind) -> str | int | float | bool | datetime | None:
    """Return a value of its column's type; None for one that is not, which only a damaged database holds."""
    value = record.get(name)
    if value is None:
        return None
    match kind:
        case "text":
            return value if isinstance(value, str) else to_json(value)
        case "whole":
            return value if isinstance(value, int) else None
        case "number":
            return float(value) if isinstance(value, int | float) else None
        case "flag":
            return bool(value)
        case "time":
            return _moment(value)


def _moment(text: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(text)).replace(tzinfo=UTC)
    except ValueError:
        return None
