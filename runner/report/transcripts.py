"""The transcript of an agent's attempt on a screen: its turns, its calls and how they ended, and what it claims."""

from collections.abc import Iterator

from runner.recordings.attempt_transcript import AGENT_WIRE, transcript_of
from runner.recordings.transcript import Transcript, TranscriptCall, TranscriptTurn
from runner.recordings.vocabulary import CallStatus
from runner.report.export import Record
from runner.report.side_by_side import visible
from runner.storage.playback import recording_of
from runner.storage.store import Row, Store

_WIDTH = 80
_LAST = 5
_NS_A_SECOND = 1e9
_ANSWER = """
SELECT a.answer_id FROM answers a JOIN lanes l USING (lane_id) JOIN streams s USING (answer_id)
WHERE l.run_id = ? AND l.sut = ? AND l.prompt = ? AND l.case_id = ? AND a.step = ? AND a.mode = ? AND a.number = ?
    AND a.try = ? AND s.wire = ?"""


def stored_transcript(store: Store, run: Row, record: Record) -> Transcript | None:
    """Return the transcript of a record's attempt; None where no coding agent made it, or nothing of it is stored."""
    rows = store.rows(
        _ANSWER, run["replay_of"] or run["run_id"], record["model_id"], record["prompt"], record["case_id"],
        record["step"], record["mode"], record["number"], record["try"], AGENT_WIRE,
    )  # fmt: skip
    return transcript_of(recording_of(store, rows[0]["answer_id"]).stream) if rows else None


def stored_lines(store: Store, run: Row, record: Record) -> tuple[str, ...]:
    """Return the transcript of a record's attempt as lines; () where no coding agent made it."""
    transcript = stored_transcript(store, run, record)
    return () if transcript is None else tuple(transcript_lines(transcript))


def transcript_lines(transcript: Transcript) -> Iterator[str]:
    """Yield a transcript for a reader, of 80 columns."""
    main = [turn for turn in transcript.turns if not turn.side]
    tools = ", ".join(f"{tool} {count}" for tool, count in transcript.by_tool.items()) or "no calls"
    yield _line(f"  transcript: {len(main)} turns; {tools}")
    yield _line(f"    files changed: {', '.join(transcript.changed) or 'none'}")
    yield _line(f"    files read: {', '.join(transcript.files_read) or 'none'}")
    if transcript.wasted:
        failed, repeated = len(transcript.failed), len(transcript.repeated)
        yield _line(f"    wasted calls: {len(transcript.wasted)} ({failed} failed, {repeated} repeated)")
    start = next((turn.began_ns for turn in transcript.turns if turn.began_ns is not None), 0)
    for number, turn in enumerate(transcript.turns, 1):
        yield _line(_turn(number, turn, start))
        yield from (_line(f"         {_call(call)}") for call in turn.calls)
    yield from map(_line, claim_lines(transcript))
    if not transcript.turns:
        # Why it asked nothing stands at the end.
        yield from (_line(f"    printed: {text}") for text in transcript.plain[-_LAST:])


def claim_lines(transcript: Transcript) -> Iterator[str]:
    """Yield what an agent claims beside what was recorded; nothing where it claims nothing."""
    claims, usages = transcript.claims, [turn.usage for turn in transcript.turns if turn.usage]
    if claims.reason or claims.turns is not None:
        verdict = {True: "failed", False: "done", None: "unknown"}[claims.failed]
        yield f"    claims: {verdict}{f' ({claims.reason})' if claims.reason else ''}"
    sums = {
        "input tokens": (claims.input_tokens, sum(usage.input_tokens for usage in usages)),
        "output tokens": (claims.output_tokens, sum(usage.output_tokens for usage in usages)),
        "cache read tokens": (claims.cache_read_tokens, sum(usage.cache_read_tokens for usage in usages)),
        "cache write tokens": (claims.cache_write_tokens, sum(usage.cache_write_tokens for usage in usages)),
    }
    for name, (claimed, recorded) in sums.items():
        if claimed is not None and usages and claimed != recorded:
            yield f"    claims {claimed} {name}, but {recorded} were recorded"
    if claims.cost_usd is not None:
        costs = [usage.cost_usd for usage in usages]
        known = sum(cost for cost in costs if cost is not None) if costs and None not in costs else None
        ours = f"${known:.4f}" if known is not None else "unknown"
        yield f"    claims a cost of ${claims.cost_usd:.4f}; by our prices {ours}"


def _turn(number: int, turn: TranscriptTurn, start: int) -> str:
    at = "" if turn.began_ns is None else f" {(turn.began_ns - start) / _NS_A_SECOND:7.2f} s"
    usage = f" {turn.usage.input_tokens} in {turn.usage.output_tokens} out" if turn.usage else ""
    refused = f" status {turn.status}" if turn.status >= 400 else ""
    return f"    {number:>3}{at}{usage}{refused}{' (side request)' if turn.side else ''}  {turn.text}"


def _call(call: TranscriptCall) -> str:
    ended = "no result" if call.status is CallStatus.NO_RESULT else call.status.value
    cause = f", {call.cause}" if call.cause else ""
    return f"{call.tool} {' '.join(call.paths) or call.arguments}: {ended}{cause}"


def _line(text: str) -> str:
    """Return one line for a screen: nothing in it moves the cursor or breaks the line."""
    flat = visible(" ".join(text.rstrip().split("\n")))
    return flat if len(flat) <= _WIDTH else f"{flat[: _WIDTH - 3]}..."
