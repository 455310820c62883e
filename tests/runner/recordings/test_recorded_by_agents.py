"""Sessions that the real agents recorded, with every call, state and token known: the readers return these."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from runner.audit.tries import tries_of
from runner.recordings.finding import sessions_below
from runner.recordings.vocabulary import (
    EDITING,
    AgentCall,
    AgentSession,
    AgentUsage,
    CallKind,
    CallStatus,
    Certainty,
    FileState,
)
from tests.vectors import files

pytestmark = pytest.mark.conformance

# An older version asked this shell command to be approved, as its neighbours were; the recording calls that ambiguous.
_APPROVAL = ("claude-code-1.0.128", "Bash", "ambiguous")
# The server sent more answers than the session keeps: side requests without tools, and a stream that broke half-way.
_UNRECORDED = {("claude-code-1.0.128", "cc05-stale-after-bash"), ("claude-code-2.1.330", "cc17-stream-broken")}


def scenarios() -> list[tuple[Path, dict[str, Any]]]:
    return [(path.parent, json.loads(path.read_text())) for path in files("sessions", "*/*/truth.json")]


def read(folder: Path) -> list[AgentSession]:
    return [form.read(path) for name in ("session", "tasks") if (folder / name).is_dir()
            for form, path in sessions_below(folder / name)]  # fmt: skip


def cause(folder: Path, call: dict[str, Any]) -> str | None:
    expected: str | None = call["cause"]
    return "denied" if (folder.parent.name, call["tool"], expected) == _APPROVAL else expected


def calls_of(recordings: list[AgentSession], truth: dict[str, Any]) -> list[tuple[AgentCall, dict[str, Any]]]:
    """The calls beside those of the truth; calls without ids are those of editing tools and shells, in order."""
    calls = [call for recording in recordings for call in recording.calls]
    by_id = {call.call_id: call for call in calls}
    unnamed = iter([call for call in calls if call.kind in {*EDITING, CallKind.SHELL}])
    return [(by_id[row["call_id"]] if row["call_id"] else next(unnamed), row) for row in truth["calls"]]


def test_every_call_has_its_recorded_end_and_cause() -> None:
    for folder, truth in scenarios():
        for call, expected in calls_of(read(folder), truth):
            assert (call.tool, call.status) == (expected["tool"], expected["status"]), folder
            assert call.cause == cause(folder, expected), folder


def test_the_counts_of_edits_agree() -> None:
    for folder, truth in scenarios():
        calls = [call for recording in read(folder) for call in recording.calls]
        ends = Counter(call.status for call in calls if call.kind in EDITING)
        assert (ends[CallStatus.OK], ends[CallStatus.FAILED]) == (
            truth["counts"]["edits_ok"],
            truth["counts"]["edits_failed"],
        ), folder
        if causes := truth["counts"].get("failed_by_cause"):
            expected = Counter[str | None]()
            for row in truth["calls"]:
                expected[cause(folder, row)] += row["cause"] is not None
            assert sum(expected.values()) == sum(causes.values())
            assert Counter(call.cause for call in calls if call.cause) == +expected, folder


def states_of(folder: Path, truth: dict[str, Any]) -> Iterator[tuple[FileState, str | None]]:
    """The states of files before and after each edit, beside their texts on the disk."""
    for call, expected in calls_of(read(folder), truth):
        touched = {file.path: file for file in call.touched}
        for row in expected["files"] if call.kind in EDITING else ():
            yield touched[row["path"]].before, row["before"]
            yield touched[row["path"]].after, row["after"]


def test_states_that_are_called_exact_are_those_of_the_disk() -> None:
    states = [(folder, state, text) for folder, truth in scenarios() for state, text in states_of(folder, truth)]
    exact = [row for row in states if row[1].certainty is Certainty.EXACT]

    assert [folder for folder, state, text in exact if state.text != text] == []
    assert len(exact) > len(states) / 2


def test_failed_edits_are_recovered_by_the_calls_that_did() -> None:
    for folder, truth in scenarios():
        # A failed patch of several files is recorded without files.
        if "codex" in folder.parent.name:
            continue
        tries = [tries for recording in read(folder) for tries in tries_of(recording)]
        recovered = {
            call.call_id: each.calls[-1].call_id if each.succeeded else None for each in tries for call in each.failed
        }
        if truth.get("synthetic"):
            assert len(recovered) == len(truth["edit_retries"]), folder
        else:
            assert recovered == {row["failed"]: row["recovered_by"] for row in truth["edit_retries"]}, folder


def test_the_tokens_agree() -> None:
    for folder, truth in scenarios():
        if (folder.parent.name, folder.name) in _UNRECORDED:
            continue
        usages = [usage for recording in read(folder) for usage in recording.usages]
        assert summed(usages) == expected_tokens(truth["tokens"]["sum"]), folder


def summed(usages: list[AgentUsage]) -> tuple[int, int, int, int]:
    return (
        sum(usage.input_tokens for usage in usages),
        sum(usage.cache_read_tokens for usage in usages),
        sum(usage.cache_write_tokens for usage in usages),
        sum(usage.output_tokens for usage in usages),
    )


def expected_tokens(total: dict[str, int]) -> tuple[int, int, int, int]:
    """The sums in classes that do not overlap."""
    if "cache_read_input_tokens" in total:
        written = total["cache_creation_input_tokens"]
        return total["input_tokens"], total["cache_read_input_tokens"], written, total["output_tokens"]
    if "cached" in total:
        return total["input_tokens"] - total["cached"], total["cached"], 0, total["output_tokens"]
    if "promptTokenCount" in total:
        cached = total["cachedContentTokenCount"]
        output = total["candidatesTokenCount"] + total["thoughtsTokenCount"]
        return total["promptTokenCount"] - cached, cached, 0, output
    if "tokensIn" in total:
        return total["tokensIn"], total["cacheReads"], total["cacheWrites"], total["tokensOut"]
    return total["prompt_tokens"], 0, 0, total["completion_tokens"]
