"""One attempt on one screen: how it ended and why, the failed block beside its nearest place, and the clocks."""

from collections.abc import Iterator

from runner.diagnosis.attempts import FileOfCase
from runner.prices import SIMULATED_USD
from runner.report.explanation import SHOWN_LINES, RefusedBlock, explained
from runner.report.export import Record
from runner.report.served_notes import served_line
from runner.report.side_by_side import beside, visible
from runner.report.speeds import answer_speed
from runner.report.transcripts import stored_lines
from runner.report.turns import turn_lines
from runner.storage.store import Row, Store

_GLYPHS = {"right": "+", "applied ?": "?", "untested": "?", "wrong": "!", "failed": "x", "invalid": "-"}
_CLOCKS = {
    "time_to_first_token_ms": "token",
    "time_to_first_edit_ms": "edit",
    "time_to_first_line_ms": "line",
    "call_closed_ms": "closed",
    "round_trip_ms": "end",
}
_OTHERS = """
SELECT DISTINCT t.diff_algorithm, c.class FROM attempts t JOIN classes c USING (scoring_id)
WHERE t.run_id = ? AND t.sut = ? AND t.prompt = ? AND t.case_id = ? AND t.number = ? AND t.try = ?
    AND t.step = ? AND t.mode = ? AND t.diff_algorithm NOT IN ('', ?) ORDER BY t.diff_algorithm"""


def screen_lines(store: Store, run: Row, record: Record) -> Iterator[str]:
    """Yield the lines of one attempt, of 80 columns where the names in it are short."""
    file = FileOfCase(store, run["replay_of"] or run["run_id"], record["case_id"])
    yield _ending(store, run, record)
    yield _name(record)
    if served := served_line(record):
        yield f"  {visible(served)}"
    if record["error_text"]:
        yield from (f"  {line}" for line in record["error_text"].split("\n")[-6:])
    transcript = stored_lines(store, run, record)
    if not transcript:
        # The answer of an agent is its changed files, as JSON: for a reader its transcript stands in its place.
        yield from _edit_lines(record, file) if record["diff_algorithm"] else _answer_lines(record)
    yield from transcript
    yield from answer_speed(record)
    yield _figures(record)
    yield from turn_lines(store, run, record)


def _ending(store: Store, run: Row, record: Record) -> str:
    others = store.rows(
        _OTHERS, run["run_id"], record["model_id"], record["prompt"], record["case_id"], record["number"],
        record["try"], record["step"], record["mode"], record["diff_algorithm"] or "",
    )  # fmt: skip
    by = f" by {record['diff_algorithm']}" if record["diff_algorithm"] else ""
    kind = record.get("class")
    ending = f"{kind}: {record['outcome']}" if kind else record["outcome"]
    same_answer = "; " + ", ".join(f"{row['diff_algorithm']} {row['class']}" for row in others) if others else ""
    simulated = "   SIMULATED" if record["simulated"] else ""
    return f"{_GLYPHS.get(kind or '', '.')} {ending}{by}{same_answer}{simulated}"


def _name(record: Record) -> str:
    step = f" step {record['step']} {record['mode']}" if record["mode"] else ""
    parts = (record["model_id"], record["prompt"], record["parser"], record["finish_reason"])
    return f"  {record['case_id']}{step} number {record['number']}: {', '.join(filter(None, parts))}"


def _edit_lines(record: Record, file: FileOfCase) -> Iterator[str]:
    """Yield the cause and the failed block of a diff, or what it changed."""
    explanation = explained(record, file)
    if explanation is None:
        return
    if explanation.cause:
        yield f"  cause: {explanation.cause}{explanation.promise}"
    if explanation.changes:
        yield from (f"  {line[:1]}{visible(line[1:])}" for line in explanation.changes[:SHOWN_LINES])
        if len(explanation.changes) > SHOWN_LINES:
            yield "  ... more: --full"
    if explanation.block:
        yield from _block_lines(explanation.block)
    yield from (f"  {visible(line)}" for line in explanation.unreadable)


def _block_lines(block: RefusedBlock) -> Iterator[str]:
    """Yield the refused block beside the place of the file that is most like its SEARCH."""
    if block.first_line is None:
        yield f"  {block.name}: nothing in the file is alike"
        yield from (f"  {visible(line)}" for line in block.search[:SHOWN_LINES])
        return
    nearest_at = f"line {block.first_line} of the file, alike {block.similarity:.2f}"
    yield from beside(block.search, block.place, (f"SEARCH of {block.name}", nearest_at))


def _answer_lines(record: Record) -> Iterator[str]:
    lines = (record["raw_output"] or "(no answer)").split("\n")
    yield from (f"  {visible(line)}" for line in lines[:SHOWN_LINES])
    if len(lines) > SHOWN_LINES:
        yield f"  ... {len(lines) - SHOWN_LINES} more lines: --full"


def _figures(record: Record) -> str:
    clocks = [f"{name} {record[key]:.0f}" for key, name in _CLOCKS.items() if record[key] is not None]
    if record["round_trip_ms"] == record["call_closed_ms"]:
        clocks = clocks[:-1]
    parts = [f"{'  '.join(clocks)} ms"] if clocks else []
    if record["output_tokens"] is not None:
        parts.append(f"{record['output_tokens']} out")
    if record["cost_usd"] is not None:
        parts.append(SIMULATED_USD if record["simulated"] else f"${record['cost_usd']:.4f}")
    return f"  {'   '.join([*parts, 'all: --full'])}"
