"""Transcripts of attempts: what an agent did is read from its recorded requests, and from what it printed."""

import asyncio
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from runner.recordings.attempt_transcript import transcript_of
from runner.recordings.transcript import AgentClaims, Transcript
from runner.recordings.vocabulary import CallKind, CallStatus
from suts.simulated.book import truth_book
from suts.simulated.config import ServerConfig
from suts.simulated.journal import JournalEntry
from suts.simulated.server import serving
from suts.sut import Message, Truth
from tests.agents.recording_proxy import RecordingProxy, recording
from tests.vectors import files

AGENTS = Path(__file__).parents[2] / "agents"
BEFORE = "".join(f"line {number}\n" for number in range(9))
TRUTH = Truth("numbers", number=1, path="a.txt", blocks=(("line 3\n", "line three\n"),), before=BEFORE)
BOOK = truth_book([([Message("user", "Go.")], TRUTH)])
BUSY = "ttft_ms=1&gap_ms=0&fumbles=1&rereads=1&runs=1"
# An older version asked this shell command to be approved; the recording calls that ambiguous.
_APPROVAL = ("claude-code-1.0.128", "Bash", "ambiguous")


async def played(
    folder: Path, program: str, wire: str, given: str
) -> tuple[Transcript, RecordingProxy, list[JournalEntry]]:
    """Let a real agent make the edits of the case behind the recording proxy."""
    (folder / "a.txt").write_text(BEFORE)
    async with serving(ServerConfig(book=BOOK, parameters=BUSY)) as server, recording(server.url) as proxy:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *(str(AGENTS / program), "--wire", wire),
            cwd=folder,
            env={"PATH": os.environ["PATH"], "ANTHROPIC_BASE_URL": proxy.url, "OPENAI_BASE_URL": f"{proxy.url}/v1"},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        out, _ = await process.communicate(given.encode())
        proxy.printed(out.decode())
        return transcript_of(proxy.lines), proxy, server.log


def dialogue(folder: Path, answer: str) -> str:
    """What a client says that knows beforehand which questions come: the answers to four of them."""
    prompt = [{"type": "text", "text": "Go."}]
    outcome = {"outcome": {"outcome": "selected", "optionId": answer}}
    messages: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": {"protocolVersion": 1}},
        {"id": 2, "method": "session/new", "params": {"cwd": str(folder), "mcpServers": []}},
        {"id": 3, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": prompt}},
    ]
    messages += [{"id": f"a{number}", "result": outcome} for number in (1, 2, 3)]
    return "".join(f"{json.dumps({'jsonrpc': '2.0', **message})}\n" for message in messages)


@pytest.mark.parametrize("wire", ["anthropic", "chat", "responses"])
async def test_a_transcript_has_the_turns_calls_and_tokens_of_each_wire(wire: str, tmp_path: Path) -> None:
    transcript, _, log = await played(tmp_path, "player.py", wire, "Go.")

    assert [(call.tool, call.status) for call in transcript.calls] == [
        ("read", CallStatus.OK),
        ("read", CallStatus.OK),
        ("edit", CallStatus.FAILED),
        ("edit", CallStatus.OK),
        ("run", CallStatus.OK),
    ]
    assert transcript.by_tool == {"edit": 2, "read": 2, "run": 1}
    assert transcript.files_read == ("a.txt",)
    assert [call.tool for call in transcript.wasted] == ["read", "edit"]
    assert transcript.calls[0].result == BEFORE
    usages = [turn.usage for turn in transcript.turns if turn.usage]
    sent = [entry.usage for entry in log if entry.usage]
    assert [(usage.input_tokens, usage.output_tokens) for usage in usages] == [
        (usage.input, usage.output) for usage in sent
    ]
    assert (len(usages), usages[0].cost_usd) == (6, 0.5)


@pytest.mark.parametrize("answer, status", [("allow_once", CallStatus.OK), ("reject_once", CallStatus.FAILED)])
async def test_a_transcript_of_the_protocol_is_merged_by_the_ids_of_its_calls(
    answer: str, status: CallStatus, tmp_path: Path
) -> None:
    transcript, proxy, _ = await played(tmp_path, "acp_player.py", "chat", dialogue(tmp_path, answer))
    printed = transcript_of(line for line in proxy.lines if b'"t": "out"' in line[1])

    for seen in (transcript, printed):
        assert (seen.agent, seen.version, seen.claims.reason) == ("player", "1", "end_turn")
        assert [call.tool for call in seen.calls] == ["read", "read", "edit", "edit", "run"]
        assert [call.status for call in seen.calls[3:]] == [status, status]
        assert [call.kind for call in seen.calls[2:]] == [CallKind.EDIT, CallKind.EDIT, CallKind.SHELL]
    assert [turn.text for turn in printed.turns] == [turn.text for turn in transcript.turns]
    assert printed.calls[0].paths == (str(tmp_path / "a.txt"),)


async def test_a_transcript_is_the_same_however_its_stream_was_cut(tmp_path: Path) -> None:
    transcript, proxy, _ = await played(tmp_path, "player.py", "anthropic", "Go.")
    whole = b"".join(data for _, data in proxy.lines)

    cut = transcript_of((0, whole[at : at + 7]) for at in range(0, len(whole), 7))

    assert [replace(call, at_ns=0) for call in cut.calls] == [replace(call, at_ns=0) for call in transcript.calls]
    assert transcript_of([(0, whole[:-9])]).damaged == 1
    assert transcript_of([(0, b'no line\n[]\n{"t": "sent", "body": "{"}\n')]).damaged == 2


@pytest.mark.conformance
def test_what_claude_code_prints_has_its_recorded_calls_and_causes() -> None:
    paths = files("sessions", "claude-code-*/*/truth.json")
    assert paths
    for path in paths:
        truth = {call["call_id"]: call for call in json.loads(path.read_text())["calls"]}
        calls = [call for stream in sorted(path.parent.glob("stream*.jsonl")) for call in printed_by(stream).calls]

        assert calls, path
        for call in calls:
            expected = truth[call.call_id]
            is_approval = (path.parents[1].name, call.tool, expected["cause"]) == _APPROVAL
            cause = "denied" if is_approval else expected["cause"]
            assert (call.tool, call.kind, call.status, call.cause) == (
                expected["tool"],
                expected["kind"],
                expected["status"],
                cause,
            ), path


@pytest.mark.conformance
@pytest.mark.parametrize(
    "scenario, failed, reason",
    [
        ("cc03-write", False, "success"),
        # An error of the API is a success by its subtype.
        ("cc07-overloaded-for-good", True, "success"),
        ("cc11-max-turns", True, "error_max_turns"),
    ],
)
def test_the_verdict_of_claude_code_is_its_error_flag(scenario: str, failed: bool, reason: str) -> None:
    (path,) = files("sessions", f"claude-code-2.1.330/{scenario}/stream.jsonl")
    reported = json.loads((path.parent / "truth.json").read_text())["tokens"]["reported"][-1]

    transcript = printed_by(path)

    assert (transcript.agent, transcript.version) == ("claude-code", "2.1.330")
    usage = reported["usage"]
    assert transcript.claims == AgentClaims(
        turns=reported["num_turns"],
        input_tokens=usage["input_tokens"],
        output_tokens=usage["output_tokens"],
        cache_read_tokens=usage["cache_read_input_tokens"],
        cache_write_tokens=usage["cache_creation_input_tokens"],
        cost_usd=reported["total_cost_usd"],
        failed=failed,
        reason=reason,
    )


def printed_by(path: Path) -> Transcript:
    texts = path.read_bytes().decode().split("\n")
    return transcript_of((0, json.dumps({"t": "out", "d": text}).encode() + b"\n") for text in texts)
