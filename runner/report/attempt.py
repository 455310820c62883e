"""One attempt in full: what was asked, what was answered, what became of each block."""

from collections.abc import Iterator
from typing import Any

from runner.json_texts import stored_json
from runner.report.export import Record
from runner.report.served_notes import served_line
from runner.report.speeds import answer_speed
from runner.storage.store import Row, Store


def with_question(store: Store, run: Row, record: Record) -> Record:
    """Return the record of an attempt with the prompt and the conversation that were sent."""
    answers_of = run["replay_of"] or run["run_id"]
    # Of a case that is asked about step by step every answer has the conversation that it was given to.
    messages = (record["request"] or {}).get("messages")
    if messages is None:
        messages = _messages(store, answers_of, record["case_id"])
    return {**record, "system_prompt": _system(store, answers_of, record), "messages": messages}


def _messages(store: Store, run_id: str, case_id: str) -> list[dict[str, str]]:
    """Return the conversation of a case; [] for a suite whose cases have none."""
    rows = store.rows("SELECT content_id FROM cases WHERE run_id = ? AND case_id = ?", run_id, case_id)
    content = stored_json(store.text(rows[0]["content_id"]) or "null") if rows else None
    messages = content.get("messages", []) if isinstance(content, dict) else []
    return [{"role": str(message.get("role", "")), "text": str(message.get("text", ""))} for message in messages]


def _system(store: Store, run_id: str, record: Record) -> str | None:
    sql = "SELECT system_id FROM lanes WHERE run_id = ? AND sut = ? AND prompt = ? AND case_id = ?"
    rows = store.rows(sql, run_id, record["model_id"], record["prompt"], record["case_id"])
    return store.text(rows[0]["system_id"]) if rows else None


def attempt_lines(record: Record) -> Iterator[str]:
    """Yield the attempt for a reader."""
    model = f"{record['model_id']}{' (simulated)' if record['simulated'] else ''}"
    step = f" step {record['step']} {record['mode']}" if record["mode"] else ""
    prompt = f", prompt {record['prompt']}" if record["prompt"] else ""
    yield f"== {record['case_id']}{step} number {record['number']}: {model}{prompt}, {record['outcome']}"
    if record["parser"]:
        yield f"   parser {record['parser']}, diff {record['diff_algorithm']}, finish {record['finish_reason']}"
    if served := served_line(record):
        yield f"   {served}"
    yield from _clock_lines(record)
    if record["prompt"]:
        yield "-- system prompt"
        yield from (record["system_prompt"] or "").split("\n")
    for message in record["messages"]:
        yield f"-- {message['role']}"
        yield from message["text"].split("\n")
    yield "-- answer"
    yield from (record["raw_output"] or "(none)").split("\n")
    if record["error_text"]:
        yield "-- error"
        yield from record["error_text"].split("\n")
    if record["blocks"]:
        yield "-- blocks"
        yield from _block_lines(record["blocks"])


def _clock_lines(record: Record) -> Iterator[str]:
    names = (
        "time_to_first_token_ms",
        "time_to_first_edit_ms",
        "time_to_first_line_ms",
        "call_closed_ms",
        "round_trip_ms",
    )
    clocks = [f"{name} {record[name]:.0f}" for name in names if record[name] is not None]
    if clocks:
        yield f"   {', '.join(clocks)}"
    yield from answer_speed(record)


def _block_lines(blocks: list[dict[str, Any]] | dict[str, Any]) -> Iterator[str]:
    if isinstance(blocks, list):
        for index, block in enumerate(blocks, 1):
            similarity = "" if block["similarity"] is None else f", similarity {block['similarity']:.3f}"
            yield f"block {block.get('block') or index}: {block['method']} at line {block['line']}{similarity}"
        return
    yield f"block {blocks['block']}: refused: {blocks['reason']}"
    nearest = blocks["nearest"]
    if nearest:
        yield f"nearest: lines {nearest['first_line']}-{nearest['last_line']}, similarity {nearest['similarity']:.3f}"
        yield f"first difference at line {nearest['difference']}:"
        yield f"  SEARCH: {nearest['expected']}"
        # Earlier versions called this line "found".
        yield f"  file:   {nearest.get('actual', nearest.get('found'))}"
