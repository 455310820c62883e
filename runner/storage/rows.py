"""Rows of evals.db to and from records: completions, scorings, and what is kept as JSON text."""

import json
from collections.abc import Iterable
from typing import Any

import orjson

from runner.errors import InputError
from runner.json_texts import stored_json
from runner.records import Clocks, Completion, Scoring, Tokens
from runner.storage.store import Row, Store, Value

_CLOCKS = ("first_token_ms", "first_edit_ms", "first_line_ms", "closed_ms", "round_trip_ms")
_TOKENS = ("input", "cache_read", "cache_write", "output", "reasoning")


def to_json(value: object, option: int | None = None) -> str:
    """JSON text: compact unless orjson's option says otherwise, keys in the order given.

    Half a surrogate pair, which UTF-8 cannot say, becomes a question mark.
    """
    try:
        return orjson.dumps(value, option=option).decode()
    except TypeError:
        encodable = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
        return orjson.dumps(orjson.loads(encodable), option=option).decode()


def from_json(text: object, what: str) -> dict[str, Any]:
    """Return the JSON object in a column. Raises InputError for anything else; `what` names the column."""
    try:
        value = stored_json(text) if isinstance(text, str) else None
    except InputError:
        value = None
    if not isinstance(value, dict):
        raise InputError(f"{what}: is no JSON object, so the database is damaged; restore it from a copy")
    return value


class _Part(dict[str, Any]):
    """A part of a configuration: a name that it does not hold is damage, since a run always writes it."""

    def __init__(self, values: dict[str, Any], what: str) -> None:
        """Take the values, and the words for the part in the line about a missing name."""
        super().__init__(values)
        self._what = what

    def __missing__(self, name: str) -> Any:  # noqa: ANN401 - never returns
        raise InputError(f"{self._what}: has no {name!r}, so the database is damaged; restore it from a copy")


def config_of(run: Row) -> dict[str, dict[str, Any]]:
    """Return the configuration of a row of `runs`: `identity` and `settings`.

    Raises InputError if it is damaged, also when a name is looked up that a part does not hold.
    """
    what = f"run {run['run_id']}: column config"
    config = from_json(run["config"], what)
    for part in ("identity", "settings"):
        if not isinstance(config.get(part), dict):
            raise InputError(f"{what}: has no object {part!r}, so the database is damaged; restore it from a copy")
        config[part] = _Part(config[part], f"{what}: {part}")
    return config


def detail_of(row: Row) -> dict[str, Any]:
    """Return the detail in a row of `scorings`; {} where there is none. Raises InputError for a damaged one."""
    return from_json(row["detail"], "column detail of a scoring") if row["detail"] is not None else {}


def put_scorings(store: Store, run_id: str, scorings: Iterable[Scoring]) -> None:
    """Insert scorings under a run; to be called inside a transaction."""
    for scoring in scorings:
        row: dict[str, Value] = {
            "run_id": run_id,
            "answer_id": scoring.answer_id,
            "parser": scoring.parser,
            "diff_algorithm": scoring.diff_algorithm,
            "outcome": str(scoring.outcome),
            "valid": scoring.valid,
            "solved": scoring.outcome.solved,
            "equals_expected": scoring.equals_expected,
            "num_edits": scoring.num_edits,
            "lines_added": scoring.lines_added,
            "lines_removed": scoring.lines_removed,
            "parses_before": scoring.parses_before,
            "parses_after": scoring.parses_after,
            "error_text": scoring.error_text,
            "parsed_calls": scoring.parsed_calls,
            "blocks": scoring.blocks,
            "detail": scoring.detail,
            "edited_id": store.put_text(scoring.edited),
        }
        scoring_id = store.insert("scorings", row)
        if scoring.scores:
            scores = [(scoring_id, metric, value) for metric, value in scoring.scores.items()]
            store.insert_many("scores", ("scoring_id", "metric", "value"), scores)


def completion_of(store: Store, row: Row) -> Completion:
    """Return the completion of a row of `answers`, without its raw stream."""
    return Completion(
        text=store.text(row["text_id"]) or "",
        reasoning=store.text(row["reasoning_id"]) or "",
        clocks=Clocks(**{name: row[name] for name in _CLOCKS}),
        tokens=Tokens(**{name: row[f"{name}_tokens"] for name in _TOKENS}),
        finish_reason=row["finish_reason"],
        served_model=row["served_model"],
        upstream=row["upstream"],
        note=row["note"],
        disturbed_ms=row["disturbed_ms"],
        server_prompt_ms=row["server_prompt_ms"],
        server_output_ms=row["server_output_ms"],
        provider_cost_usd=row["provider_cost_usd"],
        list_cost_usd=row["list_cost_usd"],
        answer_id=row["answer_id"],
    )


def is_greedy(store: Store, request_id: int | None) -> bool:
    """Return whether the request parameters in a text state the temperature 0. Raises InputError for damaged ones."""
    text = store.text(request_id)
    return text is not None and from_json(text, "request parameters of an answer").get("temperature") == 0


def completion_row(completion: Completion) -> dict[str, Value]:
    """Return the columns of `answers` that say what a completion was, its texts and its stream aside."""
    return {
        **{name: getattr(completion.clocks, name) for name in _CLOCKS},
        **{f"{name}_tokens": getattr(completion.tokens, name) for name in _TOKENS},
        "provider_cost_usd": completion.provider_cost_usd,
        "list_cost_usd": completion.list_cost_usd,
        "finish_reason": completion.finish_reason,
        "served_model": completion.served_model,
        "upstream": completion.upstream,
        "note": completion.note,
        "disturbed_ms": completion.disturbed_ms,
        "server_prompt_ms": completion.server_prompt_ms,
        "server_output_ms": completion.server_output_ms,
    }
