"""A run's attempts as flat records: one per scoring, and one per infrastructure outcome."""

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any

from runner.json_texts import readable, stored_json
from runner.storage.parsed_calls import calls_of
from runner.storage.rows import detail_of, to_json
from runner.storage.store import Row, Store

Record = dict[str, Any]

_SCORINGS = """
SELECT t.*, v.signature, v.prompt_digest, v.parser_digest, v.algorithm_digest, v.endpoint, v.simulated,
    s.parsed_calls, s.blocks, s.detail, s.edited_id, c.class,
    a.text_id, a.request_id, a.provider_cost_usd, a.list_cost_usd, a.retries, a.server_prompt_ms, a.server_output_ms
FROM attempts t
JOIN scorings s USING (scoring_id)
JOIN classes c USING (scoring_id)
JOIN answers a ON a.answer_id = t.answer_id
LEFT JOIN variants v ON v.run_id = t.run_id AND v.sut = t.sut AND v.prompt = t.prompt
    AND v.parser = t.parser AND v.diff_algorithm = t.diff_algorithm
"""
_SCORED = f"""{_SCORINGS}
WHERE t.run_id = ?1 AND t.case_id = coalesce(?2, t.case_id)
ORDER BY t.sut, t.prompt, t.case_id, t.step, t.number, t.try, t.parser, t.diff_algorithm
"""
_SCORING = f"{_SCORINGS} WHERE s.scoring_id = ?"
_UNSCORED = """
SELECT i.*, p.prompt_digest, p.parser, p.endpoint, p.simulated
FROM infrastructure i
LEFT JOIN (SELECT run_id, sut, prompt, min(prompt_digest) AS prompt_digest, min(parser) AS parser,
        min(endpoint) AS endpoint, min(simulated) AS simulated
    FROM variants GROUP BY run_id, sut, prompt) p USING (run_id, sut, prompt)
WHERE i.run_id = ?1 AND i.case_id = coalesce(?2, i.case_id)
ORDER BY i.sut, i.prompt, i.case_id, i.step, i.number, i.try
"""
_PLAIN = (
    "step", "mode", "number", "try", "outcome", "error_text", "num_edits", "lines_added", "lines_removed",
    "parses_before", "parses_after", "input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens",
    "reasoning_tokens", "cost_usd", "provider_cost_usd", "list_cost_usd", "finish_reason", "served_model", "upstream",
    "server_prompt_ms", "server_output_ms", "retries", "sent_at", "endpoint", "prompt_digest", "parser_digest",
    "algorithm_digest",
)  # fmt: skip
_CLOCKS = {
    "first_token_ms": "time_to_first_token_ms",
    "first_edit_ms": "time_to_first_edit_ms",
    "first_line_ms": "time_to_first_line_ms",
    "closed_ms": "call_closed_ms",
    "round_trip_ms": "round_trip_ms",
}


def records(store: Store, run_id: str, case_id: str | None = None) -> Iterator[Record]:
    """Yield the records of a run or of one case in it, the scored ones first; every record has every field."""
    for row in store.stream(_SCORED, run_id, case_id):
        yield _scored(store, row)
    for row in store.stream(_UNSCORED, run_id, case_id):
        yield _unscored(row)


def scored_record(store: Store, scoring_id: int) -> Record:
    """Return the record of one scoring."""
    (row,) = store.rows(_SCORING, scoring_id)
    return _scored(store, row)


def _scored(store: Store, row: Row) -> Record:
    text = store.text(row["text_id"]) or ""
    return {
        **_head(row, row["parser"], row["diff_algorithm"]),
        **{name: row[name] for name in _PLAIN},
        **{name: row[column] for column, name in _CLOCKS.items()},
        "variant": row["signature"],
        "simulated": bool(row["simulated"]),
        "class": row["class"],
        "valid": bool(row["valid"]),
        "applied": row["outcome"] == "applied",
        "solved": bool(row["solved"]),
        "equals_expected": _flag(row["equals_expected"]),
        "parses_before": _flag(row["parses_before"]),
        "parses_after": _flag(row["parses_after"]),
        "parsed_calls": calls_of(row["parsed_calls"], text) if row["parsed_calls"] else [],
        "blocks": stored_json(row["blocks"]) if row["blocks"] else None,
        "detail": detail_of(row) if row["detail"] else None,
        "request": stored_json(store.text(row["request_id"]) or "null"),
        "raw_output": text,
        "edited_file": store.text(row["edited_id"]),
        "scores": _scores(store, row["scoring_id"]),
    }


def _scores(store: Store, scoring_id: int) -> dict[str, float]:
    rows = store.rows("SELECT metric, value FROM scores WHERE scoring_id = ? ORDER BY metric", scoring_id)
    return {row["metric"]: row["value"] for row in rows}


def _unscored(row: Row) -> Record:
    known = set(row.keys())
    return {
        **_head(row, row["parser"], None),
        **{name: row[name] if name in known else None for name in _PLAIN},
        **dict.fromkeys(_CLOCKS.values()),
        "variant": None,
        "simulated": bool(row["simulated"]),
        "class": "infrastructure",
        "valid": False,
        "applied": False,
        "solved": False,
        "equals_expected": None,
        "parsed_calls": None,
        "blocks": None,
        "detail": None,
        "request": None,
        "raw_output": None,
        "edited_file": None,
        "scores": None,
    }


def _head(row: Row, parser: str | None, diff_algorithm: str | None) -> Record:
    return {
        "run_id": row["run_id"],
        "model_id": row["sut"],
        "prompt": row["prompt"],
        "parser": parser,
        "diff_algorithm": diff_algorithm,
        "case_id": row["case_id"],
    }


def _flag(value: int | None) -> bool | None:
    return None if value is None else bool(value)


def as_jsonl(rows: Iterable[Record]) -> Iterator[str]:
    """One JSON object a line."""
    for record in rows:
        yield to_json(record) + "\n"


def as_csv(rows: Iterable[Record]) -> Iterator[str]:
    """Yield a header and one line per record; lists and objects as JSON; a cell never begins a spreadsheet formula."""
    out = io.StringIO(newline="")
    writer: csv.DictWriter[str] | None = None
    for record in rows:
        if writer is None:
            writer = csv.DictWriter(out, list(record))
            writer.writeheader()
        writer.writerow({name: _cell(value) for name, value in record.items()})
        yield out.getvalue()
        out.seek(0)
        out.truncate()


def _cell(value: object) -> object:
    if isinstance(value, dict | list):
        value = to_json(value)
    if not isinstance(value, str):
        return value
    encodable = readable(value)
    # A spreadsheet runs what begins so, and models write these texts.
    return f"'{encodable}" if encodable[:1] in {"=", "+", "-", "@", "\t", "\r"} else encodable
