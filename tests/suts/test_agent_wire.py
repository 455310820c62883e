"""The wire of coding agents: which calls edit, and which were wasted, over the wires of each of their models."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from runner.records import Completion
from runner.storage.streams import AnswerReader
from suts.agent_parts import EditBegins, EditEnds
from suts.sut import Received
from suts.wires.agent import AgentWire
from suts.wires.agent_call import AgentCall

Call = tuple[str, dict[str, Any]]
VIEW = {"command": "view", "path": "a.py"}
REPLACE = {"command": "str_replace", "path": "a.py", "old_str": "1", "new_str": "2"}
EDIT = {"path": "a.py", "old": "1", "new": "2"}
BAD = {"path": "a.py", "old": "9", "new": "2"}
SECOND = 1_000_000_000


def chat(number: int, call: Call, *, streamed: bool) -> str:
    name, arguments = call
    function = {"name": name, "arguments": json.dumps(arguments)}
    calls = [{"index": 0, "id": f"call-{number}", "type": "function", "function": function}]
    if not streamed:
        return json.dumps({"choices": [{"message": {"tool_calls": calls}}]})
    chunk = {"choices": [{"index": 0, "delta": {"tool_calls": calls}, "finish_reason": None}]}
    return f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n"


def shown(number: int, result: str, wire: str) -> dict[str, object]:
    """A result as the next request has it."""
    if wire == "openai-chat":
        return {"role": "tool", "tool_call_id": f"call-{number}", "content": result}
    return {"type": "function_call_output", "call_id": f"call-{number}", "output": result}


def read(calls: Sequence[tuple[Call, str]], wire: str = "openai-chat", *, streamed: bool = True) -> Completion:
    """An attempt of one call per second, each with the result that the next request shows."""
    reading = AnswerReader(AgentWire().decoder(), None, 0)
    results: list[dict[str, object]] = []
    key = "messages" if wire == "openai-chat" else "input"

    def line(at_ns: int, kind: str, **fields: object) -> None:
        reading.feed(Received(at_ns, json.dumps({"t": kind, **fields}).encode() + b"\n"))

    for number, (call, result) in enumerate(calls, 1):
        line(number * SECOND, "sent", n=number, wire="openai-chat", keep=0, body=json.dumps({key: results}))
        line(number * SECOND, "got", n=number, d=chat(number, call, streamed=streamed))
        line(number * SECOND, "done", n=number, usd=None)
        results = [*results, shown(number, result, wire)]
    last = len(calls) + 1
    line(last * SECOND, "sent", n=last, wire="openai-chat", keep=0, body=json.dumps({key: results}))
    line(last * SECOND, "done", n=last, usd=None)
    line(last * SECOND, "end", why="", code=0, tree={})
    reading.end(last * SECOND)
    return reading.completion()


def figure(done: Completion, name: str) -> object:
    return json.loads(done.text)["figures"][name]


@pytest.mark.parametrize("wire", ["openai-chat", "openai-responses"])
def test_failed_calls_are_wasted_over_wires_without_a_word_for_failure(wire: str) -> None:
    done = read([(("edit", BAD), "Error: found 0 times"), (("edit", EDIT), "edited")], wire)

    assert figure(done, "wasted_calls") == 1


@pytest.mark.parametrize(
    "result, wasted",
    [
        pytest.param("Failed to edit, 0 occurrences of old_string", 1, id="words"),
        pytest.param("Could not find oldString in the file.", 1, id="other words"),
        pytest.param("apply_patch verification failed: no such lines", 1, id="a patch"),
        pytest.param("Chunk ID: 1\nProcess exited with code 1\nOutput:\n", 1, id="exit code"),
        pytest.param("Chunk ID: 1\nProcess exited with code 0\nOutput:\n", 0, id="exit code 0"),
        pytest.param('{"returncode": 2, "output": ""}', 1, id="exit code of an object"),
        pytest.param('{"returncode": 0, "output": ""}', 0, id="exit code 0 of an object"),
        pytest.param('[{"success": true}, {"success": false, "error": "no such file"}]', 1, id="one of two objects"),
        pytest.param('{"name": "a package"}', 0, id="an object that was read"),
        pytest.param('{"returncode": [1]}', 0, id="an object of another form"),
        pytest.param("{ no JSON", 0, id="a brace"),
    ],
)
def test_a_result_states_a_failure_in_the_forms_that_agents_have(result: str, wasted: int) -> None:
    assert figure(read([(("edit", EDIT), result)]), "wasted_calls") == wasted


def test_a_call_that_failed_and_repeats_is_wasted_once_and_an_edit_makes_reading_again_useful() -> None:
    again = ("read", {"path": "a.py"})

    repeated = read([(again, "1"), (again, "1"), (("edit", BAD), "Error: no"), (("edit", BAD), "Error: no")])
    useful = read([(again, "1"), (("edit", EDIT), "edited"), (again, "2")])

    assert figure(repeated, "wasted_calls") == 3
    assert figure(useful, "wasted_calls") == 0


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("tool", ["str_replace_based_edit_tool", "str_replace_editor"])
def test_the_view_of_a_text_editor_reads_and_its_replacement_is_the_first_edit(tool: str, streamed: bool) -> None:
    viewing = read([((tool, VIEW), "1")], streamed=streamed)
    editing = read([((tool, VIEW), "1"), ((tool, REPLACE), "edited")], streamed=streamed)

    assert viewing.clocks.first_edit_ms is None
    assert viewing.clocks.closed_ms is None
    assert figure(viewing, "files_read") == 1
    assert editing.clocks.first_edit_ms == editing.clocks.closed_ms == 2000


@pytest.mark.parametrize("streamed", [True, False])
def test_a_patch_by_a_shell_command_is_an_edit_whose_moment_is_the_beginning_of_the_call(streamed: bool) -> None:
    patch = {"cmd": "apply_patch <<'EOF'\n*** Begin Patch\n*** End Patch\nEOF"}
    asking = read([(("exec_command", {"cmd": "ls apply_patch"}), "")], streamed=streamed)
    editing = read([(("exec_command", {"cmd": "ls"}), ""), (("exec_command", patch), "Done")], streamed=streamed)

    assert asking.clocks.first_edit_ms is None
    assert editing.clocks.first_edit_ms == editing.clocks.closed_ms == 2000


def test_a_patch_by_a_script_of_tools_is_an_edit() -> None:
    reading = AnswerReader(AgentWire().decoder(), None, 0)
    script = 'text(await tools.apply_patch("*** Begin Patch"));'
    for line in (
        {"t": "sent", "n": 1, "wire": "openai-responses", "keep": 0, "body": "{}"},
        {"t": "got", "n": 1, "d": custom(1, script, "exec")},
        {"t": "done", "n": 1, "usd": None},
        {"t": "end", "why": "", "code": 0, "tree": {}},
    ):
        reading.feed(Received(SECOND, json.dumps(line).encode() + b"\n"))
    reading.end(SECOND)

    assert reading.completion().clocks.first_edit_ms == 1000


def test_files_that_one_call_reads_together_count_each() -> None:
    listed: dict[str, Any] = {"files": [{"path": "a.py"}, {"path": "b.py"}]}

    assert figure(read([(("read_files", listed), "1")]), "files_read") == 2


def custom(number: int, text: str, name: str = "apply_patch") -> str:
    item = {"type": "custom_tool_call", "call_id": f"call-{number}", "name": name, "input": text}
    done = {"type": "response.output_item.done", "output_index": 0, "item": item}
    return f"data: {json.dumps(done)}\n\n"


def test_a_failed_call_of_a_tool_that_takes_free_text_is_wasted() -> None:
    reading = AnswerReader(AgentWire().decoder(), None, 0)
    result = {"type": "custom_tool_call_output", "call_id": "call-1", "output": "Error: no such line"}
    lines: list[dict[str, object]] = [
        {"t": "sent", "n": 1, "wire": "openai-responses", "keep": 0, "body": json.dumps({"input": []})},
        {"t": "got", "n": 1, "d": custom(1, "*** Begin Patch")},
        {"t": "done", "n": 1, "usd": None},
        {"t": "sent", "n": 2, "wire": "openai-responses", "keep": 0, "body": json.dumps({"input": [result]})},
        {"t": "done", "n": 2, "usd": None},
        {"t": "end", "why": "", "code": 0, "tree": {}},
    ]
    for at, line in enumerate(lines):
        reading.feed(Received(at * SECOND, json.dumps(line).encode() + b"\n"))
    reading.end(len(lines) * SECOND)
    done = reading.completion()

    assert (figure(done, "calls"), figure(done, "wasted_calls")) == ({"apply_patch": 1}, 1)
    assert done.clocks.first_edit_ms == 1000


WHOLE = {
    "google-generate": {
        "candidates": [
            {
                "content": {"parts": [{"text": "Done."}, {"functionCall": {"id": "a", "name": "replace", "args": {}}}]},
                "finishReason": "STOP",
            }
        ],
        "usageMetadata": {"promptTokenCount": 9, "cachedContentTokenCount": 4, "candidatesTokenCount": 3},
        "modelVersion": "m",
    },
    "anthropic-messages": {
        "model": "m",
        "content": [{"type": "tool_use", "id": "a", "name": "Edit", "input": {}}],
        "usage": {"input_tokens": 5, "cache_read_input_tokens": 4, "output_tokens": 3},
        "stop_reason": "tool_use",
    },
    "openai-chat": {
        "model": "m",
        "choices": [
            {"message": {"tool_calls": [{"id": "a", "function": {"name": "edit_file", "arguments": "{}"}}]}, "index": 0}
        ],
        "usage": {"prompt_tokens": 9, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}},
    },
    "openai-responses": {
        "model": "m",
        "status": "completed",
        "output": [{"type": "function_call", "call_id": "a", "name": "apply_patch", "arguments": "{}"}],
        "usage": {"input_tokens": 9, "output_tokens": 3, "input_tokens_details": {"cached_tokens": 4}},
    },
}


@pytest.mark.parametrize("wire", WHOLE)
def test_an_answer_in_one_piece_is_read_at_its_end_over_each_wire(wire: str) -> None:
    data = json.dumps(WHOLE[wire]).encode()
    call = AgentCall(wire, status=200)

    begun = [*call.feed(1, data[:20]), *call.feed(2, data[20:])]
    ended = [*call.end(7)]

    assert begun == []
    assert ended == [EditBegins(7), EditEnds(7)]
    assert [(made.id, made.arguments) for made in call.calls] == [("a", "{}")]
    assert call.usage is not None
    assert (call.usage.input_tokens, call.usage.cache_read_tokens, call.usage.output_tokens) == (5, 4, 3)
    assert call.model == "m"
