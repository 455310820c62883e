"""Files as disks have them: marks, line ends, halves of characters, sessions written into one another."""

import json
import shutil
from collections.abc import Callable
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

import pytest

from runner.recordings.finding import form_of, sessions_below
from runner.recordings.vocabulary import Certainty, FileState
from tests import in_process
from tests.planted_sessions import plan, write
from tests.runner.recordings.read_sessions import AGENTS, ends, planted_ends, read
from tests.vectors import files

# A record of no known type, longer than the part of a file by which most are known.
LONG = json.dumps({"type": "new-in-3", "text": "x" * 9000}).encode() + b"\n"


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def alternately(first: list[dict[str, Any]], second: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in chain.from_iterable(zip_longest(first, second)) if row is not None]


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize(
    "written",
    [
        pytest.param(lambda data: b"\xef\xbb\xbf" + data, id="a mark of byte order"),
        pytest.param(lambda data: data.replace(b"\n", b"\r\n"), id="line ends of Windows"),
        pytest.param(lambda data: b"\n \n" + data.replace(b"\n", b"\n\n\t\n") + b"\n", id="blank lines"),
        pytest.param(lambda data: data.removesuffix(b"\n"), id="no last line end"),
        pytest.param(lambda data: data.replace(b"x = 1", b"x = 1 \\ud83d"), id="half a surrogate pair"),
        pytest.param(lambda data: data.replace(b"x = 1", b"x = 1 \xf0\x9f"), id="half a character"),
        pytest.param(lambda data: LONG + data if b"\n" in data else data, id="a long first record"),
    ],
)
def test_calls_are_read_whatever_stands_around_them(
    tmp_path: Path, agent: str, written: Callable[[bytes], bytes]
) -> None:
    edits = plan(agent, 11, 15)
    path = write(tmp_path, agent, edits)
    path.write_bytes(written(path.read_bytes()))

    recording = read(path)

    assert ends(recording) == planted_ends(edits)
    assert len(recording.usages) == len(edits)
    assert recording.damaged == 0
    for call in recording.calls:
        "".join(f"{file.before.text}{file.after.text}" for file in call.touched).encode()


@pytest.mark.parametrize("agent", ["codex", "gemini-cli", "claude-code"])
def test_of_a_file_that_lost_its_beginning_the_rest_is_read(tmp_path: Path, agent: str) -> None:
    edits = plan(agent, 12, 30)
    path = write(tmp_path, agent, edits)
    data = path.read_bytes()
    path.write_bytes(data[len(data) // 2 :])

    found = [(Path(name).name, cause) for name, cause in ends(read(path))]

    assert len(found) > len(edits) // 3
    assert found == [(Path(edit.path).name, edit.cause) for edit in edits][-len(found) :]


def test_two_sessions_in_one_file_are_told_apart_though_their_ids_are_the_same(tmp_path: Path) -> None:
    plans = [plan("claude-code", seed, 12) for seed in (13, 14)]
    first, second = (rows_of(write(tmp_path, "claude-code", edits, f"s{at}")) for at, edits in enumerate(plans))
    path = tmp_path / "both.jsonl"
    write_rows(path, alternately(first, [{**row, "sessionId": "t"} for row in second]))

    recording = read(path)

    assert sorted(ends(recording), key=str) == sorted([*planted_ends(plans[0]), *planted_ends(plans[1])], key=str)
    assert len(recording.usages) == 24


def test_a_subagent_that_writes_into_the_file_of_its_session_is_told_apart(tmp_path: Path) -> None:
    main, below = plan("claude-code", 15, 12), plan("claude-code", 16, 12)
    first, second = (rows_of(write(tmp_path, "claude-code", edits)) for edits in (main, below))
    renamed = [json.loads(json.dumps(row).replace("toolu_", "toolu_s").replace("msg_", "msg_s")) for row in second]
    write_rows(tmp_path / "s.jsonl", alternately(first, [{**row, "isSidechain": True} for row in renamed]))

    recording = read(tmp_path / "s.jsonl")

    for edits, subagent in ((main, False), (below, True)):
        calls = [call for call in recording.calls if call.subagent is subagent]
        assert [(call.paths[0], call.cause) for call in calls] == planted_ends(edits)
    assert sum(usage.subagent for usage in recording.usages) == 12


def test_calls_count_for_the_version_that_made_them(tmp_path: Path) -> None:
    edits = plan("claude-code", 17, 10)
    path = write(tmp_path / "sessions", "claude-code", edits)
    rows = rows_of(path)
    write_rows(path, [{**row, "version": "9.9.8" if at < 13 else "9.9.9"} for at, row in enumerate(rows)])

    ended = in_process.evals("audit", "sessions", "--json", cwd=tmp_path)

    # The first record is the user's; then each edit has three.
    counts = {row["version"]: row["ok"] + row["failed"] for row in json.loads(ended.stdout)["edits"]}
    assert counts == {"9.9.8": 4, "9.9.9": 6}


def with_subagent(path: Path, below: dict[str, Any]) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), "subagent_trajectories": [below]}))


def test_embedded_subagents_count_and_their_ids_are_their_own(tmp_path: Path) -> None:
    main, below = plan("atif", 18, 10), plan("atif", 19, 10)
    embedded = json.loads(write(tmp_path, "atif", below, "below").read_text())
    path = write(tmp_path, "atif", main)
    with_subagent(path, embedded)

    recording = read(path)

    assert ends(recording) == [*planted_ends(main), *planted_ends(below)]
    assert [call.subagent for call in recording.calls] == [False] * 10 + [True] * 10
    assert len(recording.usages) == 20


def test_of_embedded_subagents_that_were_cut_what_was_written_before_counts(tmp_path: Path) -> None:
    main, below = plan("atif", 18, 6), plan("atif", 19, 6)
    path = write(tmp_path, "atif", main)
    with_subagent(path, json.loads(write(tmp_path, "atif", below, "below").read_text()))
    data, counts = path.read_bytes(), set()

    for cut in range(len(data) // 3, len(data), 97):
        path.write_bytes(data[:cut])
        found = ends(read(path))
        assert found == [*planted_ends(main), *planted_ends(below)][: len(found)]
        counts.add(len(found))

    assert counts >= {3, 6, 9, 11}


def test_steps_may_give_their_calls_the_same_ids(tmp_path: Path) -> None:
    edits = plan("atif", 20, 9)
    path = write(tmp_path, "atif", edits)
    text = path.read_text()
    for edit in edits:
        text = text.replace(f'"call_{edit.number}"', '"call_0"')
    path.write_text(text)

    assert ends(read(path)) == planted_ends(edits)


def test_tasks_of_programs_that_came_of_cline_are_left_out(tmp_path: Path) -> None:
    edits = plan("cline", 22, 3)

    assert form_of(write(tmp_path / "saoudrizwan.claude-dev" / "tasks", "cline", edits)) is not None
    for storage in ("rooveterinaryinc.roo-cline", "kilocode.Kilo-Code"):
        assert form_of(write(tmp_path / storage / "tasks", "cline", edits)) is None


def test_older_sessions_of_codex_count_tokens_by_their_sums(tmp_path: Path) -> None:
    edits = plan("codex", 23, 5)
    path = write(tmp_path, "codex", edits)
    usage = {"input_tokens": 113, "cached_input_tokens": 100, "output_tokens": 5}
    rows = list[dict[str, Any]]()
    for row in rows_of(path):
        if row["type"] != "token_usage_record":
            rows.append(row)
            continue
        sums = {name: count * (1 + len(rows)) for name, count in usage.items()}
        payload = {"type": "token_count", "info": {"total_token_usage": sums, "last_token_usage": usage}}
        rows += [{**row, "type": "event_msg", "payload": payload}] * 2
    write_rows(path, rows)

    usages = read(path).usages

    assert [(usage.input_tokens, usage.cache_read_tokens, usage.output_tokens) for usage in usages] == [
        (13, 100, 5)
    ] * 5


@pytest.mark.parametrize("agent", ["codex", "cline-cli"])
def test_answers_without_an_id_are_each_counted(tmp_path: Path, agent: str) -> None:
    edits = plan(agent, 24, 6)
    path = write(tmp_path, agent, edits)
    path.write_text(path.read_text().replace('"response_id"', '"name"').replace('"id": "m', '"name": "m'))

    assert len(read(path).usages) == 6


def test_a_file_that_was_written_over_an_unknown_text_is_not_exact(tmp_path: Path) -> None:
    path = write(tmp_path, "claude-code", plan("claude-code", 25, 1))
    rows = rows_of(path)
    arguments = {"file_path": "/home/dev/project/a.py", "content": "x = 1\n"}
    rows[2]["message"]["content"][0] |= {"name": "Write", "input": arguments}
    rows[3] |= {"toolUseResult": {"type": "update", "originalFile": None, "structuredPatch": []}}
    rows[3]["message"]["content"][0] = {"type": "tool_result", "tool_use_id": "toolu_0", "content": "Updated."}
    write_rows(path, rows)

    (call,) = read(path).calls

    assert call.touched[0].after == FileState("x = 1\n", Certainty.DERIVED)


def test_older_sessions_of_codex_have_patches_without_their_changes(tmp_path: Path) -> None:
    edits = plan("codex", 26, 12)
    path = write(tmp_path, "codex", edits)
    rows = [row for row in rows_of(path) if row["type"] != "event_msg"]
    for row in rows:
        if str(row["payload"].get("output", "")).startswith("Exit code: 0"):
            output = "Success. Updated the following files:\nM a.py\n"
            row["payload"]["output"] = json.dumps({"output": output, "metadata": {"exit_code": 0}})
    write_rows(path, rows)

    assert ends(read(path)) == planted_ends(edits)


def test_the_words_of_an_error_say_that_a_call_of_claude_code_failed(tmp_path: Path) -> None:
    edits = plan("claude-code", 27, 12)
    path = write(tmp_path, "claude-code", edits)
    path.write_text(path.read_text().replace(', "is_error": true', ""))

    assert ends(read(path)) == planted_ends(edits)


@pytest.mark.conformance
def test_lines_that_agents_wrote_twice_say_nothing_new(tmp_path: Path) -> None:
    folder = files("sessions", "*/*/truth.json")[0].parents[2]
    copy = tmp_path / "sessions"
    shutil.copytree(folder, copy)
    for path in copy.rglob("*.jsonl"):
        path.write_text("".join(f"{line}\n" * 2 for line in path.read_text().split("\n") if line), newline="")

    once, twice = ([form.read(path) for form, path in sessions_below(place)] for place in (folder, copy))

    assert len(once) == len(twice) > 20
    for first, second in zip(once, twice, strict=True):
        assert (second.calls, second.usages) == (first.calls, first.usages), first.path


def several_in_one_answer(agent: str, path: Path) -> None:
    """Let one answer make all calls, and give their results from the last to the first."""
    if agent == "gemini-cli":
        rows = rows_of(path)
        answers = [row for row in rows if "toolCalls" in row]
        others = [row for row in rows if row.get("type") != "gemini"]
        write_rows(path, [*others, {**answers[0], "toolCalls": [call for row in answers for call in row["toolCalls"]]}])
        return
    document = json.loads(path.read_text())
    if agent == "atif":
        user, *steps = document["steps"]
        calls = [call for step in steps for call in step["tool_calls"]]
        results = [result for step in steps for result in step["observation"]["results"]]
        one = {**steps[0], "tool_calls": calls, "observation": {"results": results[::-1]}}
        document["steps"] = [user, one]
    else:
        answers, replies = document["messages"][::2], document["messages"][1::2]
        one, reply = answers[0], replies[0]
        one["content"] = [part for message in answers for part in message["content"]]
        reply["content"] = [part for message in replies[::-1] for part in message["content"]]
        document["messages"] = [one, reply]
    path.write_text(json.dumps(document))


@pytest.mark.parametrize("agent", ["gemini-cli", "atif", "cline-cli"])
def test_calls_of_one_answer_get_each_its_own_result(tmp_path: Path, agent: str) -> None:
    edits = plan(agent, 28, 12)
    path = write(tmp_path, agent, edits)
    several_in_one_answer(agent, path)

    recording = read(path)

    assert ends(recording) == planted_ends(edits)
    assert len(recording.usages) == 1


def test_native_calls_of_cline_in_one_answer_get_each_their_own_result(tmp_path: Path) -> None:
    edits = plan("cline", 29, 12)
    path = write(tmp_path, "cline", edits)
    task, *messages = json.loads(path.read_text())
    calls, results = list[dict[str, Any]](), list[dict[str, Any]]()
    for edit, reply in zip(edits, messages[1::2], strict=True):
        arguments = {"path": edit.path, "diff": f"------- SEARCH\n{edit.search}\n=======\nx\n+++++++ REPLACE"}
        calls.append({"type": "tool_use", "id": f"c{edit.number}", "name": "replace_in_file", "input": arguments})
        text = reply["content"][1]
        results.append({"type": "tool_result", "tool_use_id": f"c{edit.number}", "content": [text]})
    answers = [{"role": "assistant", "content": calls}, {"role": "user", "content": results[::-1]}]
    path.write_text(json.dumps([task, *answers]))

    assert ends(read(path)) == planted_ends(edits)
