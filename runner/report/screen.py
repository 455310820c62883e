"""One attempt on one screen: how it ended and why, the failed block beside its nearest place, and the clocks."""

import difflib
from collections.abc import Iterator
from itertools import islice

from diff_apply.nearest import nearest
from runner.diagnosis.attempts import WITHOUT_DIFF, FileOfCase, diff_of, refused_block
from runner.diagnosis.causes import Unforgivable
from runner.diagnosis.counts import cause_name
from runner.diagnosis.failure import Diagnosis, FailedDiff, diagnose_diff
from runner.diagnosis.markers import read_leniently
from runner.errors import InputError
from runner.prices import SIMULATED_USD
from runner.report.export import Record
from runner.report.served_notes import served_line
from runner.report.side_by_side import beside, visible
from runner.report.speeds import answer_speed
from runner.storage.store import Row, Store

_GLYPHS = {"right": "+", "applied ?": "?", "untested": "?", "wrong": "!", "failed": "x", "invalid": "-"}
_CHANGED = 24
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
    yield from _edit_lines(record, file) if record["diff_algorithm"] else _answer_lines(record)
    yield from answer_speed(record)
    yield _figures(record)


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
    diff = diff_of(record["parsed_calls"] or [])
    try:
        original, expected = file.original, file.expected
    except InputError:
        return
    edited = record["edited_file"]
    if edited is not None and record["equals_expected"] is not False:
        yield from _changes(original, edited, "before", "after")
        return
    if record["outcome"] in WITHOUT_DIFF:
        yield f"  cause: {WITHOUT_DIFF[record['outcome']]}"
        return
    if not diff:
        return
    refused = refused_block(record["blocks"])
    failed = FailedDiff(original, diff, expected, record["diff_algorithm"], edited, refused)
    diagnosis = diagnose_diff(failed)
    yield f"  cause: {cause_name(diagnosis.cause)}{_promise(diagnosis)}"
    if edited is not None:
        yield from _changes(expected[0] if expected else original, edited, "expected", "made")
    elif refused:
        yield from _block_lines(original, diff, refused)


def _promise(diagnosis: Diagnosis) -> str:
    if isinstance(diagnosis.cause, Unforgivable) or diagnosis.right is None:
        return ""
    return f"; forgiven, the file would be {'right' if diagnosis.right else 'wrong'}"


def _changes(before: str, after: str, name: str, other: str) -> Iterator[str]:
    """Yield the first lines of a unified diff of two files."""
    lines = difflib.unified_diff(before.split("\n"), after.split("\n"), name, other, lineterm="", n=2)
    document = list(islice(lines, _CHANGED + 1))
    yield from (f"  {line[:1]}{visible(line[1:])}" for line in document[:_CHANGED])
    if len(document) > _CHANGED:
        yield "  ... more: --full"


def _block_lines(original: str, diff: str, number: int) -> Iterator[str]:
    """Yield the refused block beside the place of the file that is most like its SEARCH."""
    read = read_leniently(diff)
    block = next((block for block in read.blocks if block.number == number), None) if read else None
    if block is None:
        yield from (f"  {visible(line)}" for line in diff.split("\n")[:_CHANGED])
        return
    count = len(read.blocks) if read else number
    candidate = nearest(original, block.search.text)
    if candidate is None:
        yield f"  block {number} of {count}: nothing in the file is alike"
        yield from (f"  {visible(line)}" for line in block.search.rows[:_CHANGED])
        return
    place = original.split("\n")[candidate.first_line - 1 : candidate.last_line]
    nearest_at = f"line {candidate.first_line} of the file, alike {candidate.similarity:.2f}"
    yield from beside(block.search.rows, place, (f"SEARCH of block {number} of {count}", nearest_at))


def _answer_lines(record: Record) -> Iterator[str]:
    lines = (record["raw_output"] or "(no answer)").split("\n")
    yield from (f"  {visible(line)}" for line in lines[:_CHANGED])
    if len(lines) > _CHANGED:
        yield f"  ... {len(lines) - _CHANGED} more lines: --full"


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
