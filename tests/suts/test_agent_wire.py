"""What the recorded lines of an agent's attempt say of its edits."""

import json
from collections.abc import Iterable

import pytest

from suts.agent_parts import EditBegins, EditEnds
from suts.sut import Received
from suts.wires.agent import AgentWire

VIEW = {"command": "view", "path": "a.py"}
CHANGE = {"command": "str_replace", "path": "a.py", "old_str": "x", "new_str": "y"}


def streamed(calls: Iterable[tuple[str, dict[str, str]]]) -> list[str]:
    """The pieces of an answer of Anthropic's messages: for each call its start, then its arguments."""
    pieces: list[str] = []
    for index, (name, arguments) in enumerate(calls):
        block = {"type": "tool_use", "id": f"c{index}", "name": name, "input": {}}
        start = {"type": "content_block_start", "index": index, "content_block": block}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
        events = (start, {"type": "content_block_delta", "index": index, "delta": delta})
        pieces += [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]
    return pieces


def whole(calls: Iterable[tuple[str, dict[str, str]]]) -> list[str]:
    """The same answer in one piece."""
    content = [{"type": "tool_use", "id": "c", "name": name, "input": arguments} for name, arguments in calls]
    return [json.dumps({"content": content})]


def marks(pieces: Iterable[str]) -> tuple[list[int], list[int]]:
    """When edits begin and end: the piece n arrives at n, the end of the answer at 99."""
    decoder = AgentWire().decoder()
    rows = [
        {"t": "sent", "n": 1, "wire": "anthropic-messages", "keep": 0, "body": "{}"},
        {"t": "status", "n": 1, "status": 200},
    ]
    rows += [{"t": "got", "n": 1, "d": piece} for piece in pieces]
    times = [0, 0, *range(len(rows) - 2), 99]
    rows.append({"t": "done", "n": 1, "usd": None})
    events = [
        event
        for at_ns, row in zip(times, rows, strict=True)
        for event in decoder.feed(Received(at_ns, json.dumps(row).encode() + b"\n"))
    ]
    begins = [event.at_ns for event in events if isinstance(event, EditBegins)]
    return begins, [event.at_ns for event in events if isinstance(event, EditEnds)]


@pytest.mark.parametrize("name", ["str_replace_editor", "str_replace_based_edit_tool"])
@pytest.mark.parametrize("form", [streamed, whole])
def test_a_look_at_a_file_is_no_edit(name: str, form: object) -> None:
    assert callable(form)
    assert marks(form([(name, VIEW)])) == ([], [])


def test_an_edit_of_a_text_editor_begins_with_its_call_though_its_command_comes_later() -> None:
    assert marks(streamed([("str_replace_editor", VIEW), ("str_replace_editor", CHANGE)])) == ([2], [99])


def test_other_tools_that_edit_are_known_at_once() -> None:
    assert marks(streamed([("Read", VIEW), ("Edit", CHANGE)])) == ([2], [99])


def test_an_answer_in_one_piece_edits_when_it_has_arrived() -> None:
    assert marks(whole([("Read", VIEW), ("Edit", CHANGE)])) == ([99], [99])
