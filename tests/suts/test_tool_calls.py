"""How the pieces of tool calls are told apart, whichever way a server numbers them."""

from typing import Any

import orjson
import pytest

from runner.storage.streams import AnswerReader
from suts.sut import Received, ToolCallDelta
from suts.wires import WIRES
from suts.wires.tool_calls import ToolCall, ToolCalls

Piece = dict[str, Any]


def piece(
    index: int | None = None, call_id: str | None = None, name: str | None = None, arguments: object = ""
) -> Piece:
    """One entry of `tool_calls`, without the fields that are None."""
    function = {"name": name, "arguments": arguments}
    entry = {
        "index": index,
        "id": call_id,
        "function": {key: text for key, text in function.items() if text is not None},
    }
    return {key: value for key, value in entry.items() if value is not None}


def chat_calls(*pieces: Piece) -> list[ToolCall]:
    """The calls of a chat that sends each piece in a chunk."""
    return read("openai-chat", *({"choices": [{"index": 0, "delta": {"tool_calls": [entry]}}]} for entry in pieces))


def message_calls(*events: Piece) -> list[ToolCall]:
    return read("anthropic-messages", *events)


def read(wire: str, *payloads: object) -> list[ToolCall]:
    reading = AnswerReader(WIRES[wire].decoder(), None, 0)
    for payload in payloads:
        reading.feed(Received(0, b"data: " + orjson.dumps(payload) + b"\n\n"))
    return list(reading.calls)


CHATS = [
    pytest.param(
        [piece(0, "a", "f"), piece(0, None, None, "{"), piece(0, None, None, "}")], [("a", "f", "{}")], id="one call"
    ),
    pytest.param([piece(0, "a", "f")], [("a", "f", "{}")], id="no arguments"),
    pytest.param(
        [piece(0, "a", "f", "1"), piece(0, "b", "f", "2")], [("a", "f", "1"), ("b", "f", "2")], id="one index"
    ),
    pytest.param([piece(0, "a", "f", "1"), piece(0, "b", None, "2")], [("a", "f", "12")], id="an id for each piece"),
    pytest.param([piece(0, "a", "f", "1"), piece(0, "b", "", "2")], [("a", "f", "12")], id="an id with an empty name"),
    pytest.param([piece(0, "a", "f", "1"), piece(0, "a", "f", "2")], [("a", "f", "12")], id="id and name repeated"),
    pytest.param([piece(0, None, "f", "1"), piece(0, None, "f", "2")], [("", "f", "12")], id="name repeated, no id"),
    pytest.param([piece(0, None, "f", "1"), piece(1, None, "g", "2")], [("", "f", "1"), ("", "g", "2")], id="no ids"),
    pytest.param(
        [piece(0, "a", "f", "1"), piece(0, "b", "g", "2"), piece(0, "a", None, "3")],
        [("a", "f", "13"), ("b", "g", "2")],
        id="back to an earlier id",
    ),
    pytest.param(
        [piece(1, "a", "f"), piece(0, "b", "g"), piece(1, None, None, "1"), piece(0, None, None, "0")],
        [("a", "f", "1"), ("b", "g", "0")],
        id="interleaved, in the order of opening",
    ),
    pytest.param(
        [piece(None, "a", "f", "1"), piece(None, "b", "g", "2")], [("a", "f", "1"), ("b", "g", "2")], id="no index"
    ),
    pytest.param(
        [piece(None, None, "f", "1"), piece(None, None, "f", "2")],
        [("", "f", "1"), ("", "f", "2")],
        id="no index, no id",
    ),
    pytest.param(
        [piece(None, "a", "f", "1"), piece(None, None, None, "2")], [("a", "f", "12")], id="no index, continued"
    ),
    pytest.param([piece(0, None, None, "1"), piece(0, "a", "f", "2")], [("a", "f", "12")], id="id and name come late"),
    pytest.param([{"extra_content": {"google": {}}}], [], id="only a signature"),
    pytest.param([piece(0, "a", "f", {"p": [1, "ü"]})], [("a", "f", '{"p":[1,"ü"]}')], id="an object"),
    pytest.param([piece(0, "a", "f", {}), piece(0, None, None, '{"p":1}')], [("a", "f", '{"p":1}')], id="empty object"),
    pytest.param(
        [piece(0, "a", "f", "1"), piece(0, "b", "g", "2"), piece(1, "c", "h", "3")],
        [("a", "f", "1"), ("b", "g", "2"), ("c", "h", "3")],
        id="an index that the number of another call has taken",
    ),
]


@pytest.mark.parametrize("pieces, calls", CHATS)
def test_the_pieces_of_a_chat_belong_to_their_calls(pieces: list[Piece], calls: list[ToolCall]) -> None:
    assert chat_calls(*pieces) == calls


def test_two_calls_in_one_delta_are_two_calls() -> None:
    delta = {"tool_calls": [piece(0, "a", "f", "1"), piece(0, "b", "g", "2")]}

    assert read("openai-chat", {"choices": [{"delta": delta}]}) == [("a", "f", "1"), ("b", "g", "2")]


def test_the_older_form_is_one_call_without_an_id() -> None:
    deltas = [{"function_call": {"name": "f"}}, {"function_call": {"name": "f", "arguments": "{"}}]

    calls = read("openai-chat", *({"choices": [{"delta": delta}]} for delta in deltas))

    assert calls == [("", "f", "{")]


def start(index: int, kind: str = "tool_use", **more: object) -> Piece:
    return {"type": "content_block_start", "index": index, "content_block": {"type": kind, **more}}


def arguments(index: int, text: str) -> Piece:
    return {"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": text}}


MESSAGES = [
    pytest.param([start(1, id="a", name="f", input={}), arguments(1, "")], [("a", "f", "{}")], id="no arguments"),
    pytest.param(
        [start(1, id="a", name="f"), start(2, id="b", name="f"), arguments(2, "2"), arguments(1, "1")],
        [("a", "f", "1"), ("b", "f", "2")],
        id="two blocks",
    ),
    pytest.param(
        [start(0, id="a", name="f"), arguments(0, "1"), start(0, id="b", name="g"), arguments(0, "2")],
        [("a", "f", "1"), ("b", "g", "2")],
        id="an index used again",
    ),
    pytest.param(
        [start(0, "server_tool_use", id="s", name="search", input={}), arguments(0, '{"q":1}')], [], id="the server's"
    ),
    pytest.param(
        [start(0, id="a", name="f", input={"p": 1}), {"type": "content_block_stop", "index": 0}],
        [("a", "f", '{"p":1}')],
        id="whole input at the start",
    ),
    pytest.param(
        [start(0, id="a", name="f", input={"p": 1}), {"type": "message_stop"}],
        [("a", "f", '{"p":1}')],
        id="whole input, block not closed",
    ),
    pytest.param(
        [
            start(0, id="a", name="f", input={"p": 1}),
            arguments(0, '{"p":1}'),
            {"type": "content_block_stop", "index": 0},
            {"type": "message_stop"},
        ],
        [("a", "f", '{"p":1}')],
        id="input at the start and in pieces",
    ),
]


@pytest.mark.parametrize("events, calls", MESSAGES)
def test_the_blocks_of_a_message_are_its_calls(events: list[Piece], calls: list[ToolCall]) -> None:
    assert message_calls(*events) == calls


def test_ids_and_names_are_never_joined() -> None:
    calls = ToolCalls()
    for at in range(3):
        calls.add(ToolCallDelta(0, 0, "f", str(at), "a"))

    assert calls.whole() == (ToolCall("a", "f", "012"),)
