"""Whatever JSON stands in a field of a chunk: events of the right types that can be stored, or SutError."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import isfinite
from typing import Any, Final, get_args

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.storage.streams import AnswerReader
from suts.sut import Beat, ErrorKind, Event, Finish, ReasoningDelta, Received, SutError, TextDelta, ToolCallDelta, Usage
from suts.wires import WIRES

Path = tuple[str | int, ...]

CHAT: Final[list[Any]] = [
    {
        "model": "m",
        "provider": "p",
        "choices": [
            {
                "index": 0,
                "delta": {
                    "role": "assistant",
                    "content": "a",
                    "reasoning": "r",
                    "reasoning_content": "r",
                    "refusal": "no",
                    "tool_calls": [
                        {"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
                    ],
                    "function_call": {"name": "f", "arguments": "{}"},
                },
                "finish_reason": None,
            }
        ],
    },
    {"choices": [{"delta": {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "t"}]}]}}]},
    {"choices": [{"delta": {"content": [{"type": "text", "text": "t"}]}}]},
    {"choices": [{"index": 0, "text": "a", "finish_reason": None}]},
    {"model": "m", "provider": "p", "error": None, "choices": [{"delta": {}, "finish_reason": "stop", "error": None}]},
    {
        "model": "m",
        "choices": [],
        "usage": {
            "prompt_tokens": 9,
            "completion_tokens": 5,
            "total_tokens": 14,
            "prompt_cache_hit_tokens": 1,
            "prompt_tokens_details": {"cached_tokens": 1, "cache_write_tokens": 1},
            "completion_tokens_details": {"reasoning_tokens": 2},
            "cost": 0.5,
            "cost_details": {"upstream_inference_cost": 0.1},
            "is_byok": True,
        },
    },
]
MESSAGE: Final[list[Any]] = [
    {
        "type": "message_start",
        "message": {
            "model": "m",
            "usage": {
                "input_tokens": 3,
                "cache_read_input_tokens": 1,
                "cache_creation_input_tokens": 1,
                "cache_creation": {"ephemeral_5m_input_tokens": 1, "ephemeral_1h_input_tokens": 0},
                "output_tokens": 1,
            },
        },
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "t"}},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "a"}},
    {
        "type": "content_block_start",
        "index": 2,
        "content_block": {"type": "tool_use", "id": "c", "name": "f", "input": {}},
    },
    {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": "{}"}},
    {"type": "content_block_stop", "index": 2},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn"},
        "usage": {"output_tokens": 9, "output_tokens_details": {"thinking_tokens": 3}},
    },
    {"type": "message_stop"},
]
STREAMS = {"openai-chat": CHAT, "anthropic-messages": MESSAGE}
both = pytest.mark.parametrize("wire", STREAMS)

numbers = st.one_of(
    st.sampled_from([0, -1, 1.0, 2**53, 2**53 + 1, 2**63, 2**64 - 1, -(2**63), 1e300, -0.5, "50", "NaN"]),
    st.integers(-9, 9),
)
texts = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=8), st.sampled_from(["\0", "\u2028", "error", "[DONE]"])
)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=4,
)
# What no JSON writer writes, but a server may send all the same.
raw = st.sampled_from(
    [b"NaN", b"1e999", b'"\\ud83d"', b"9" * 5000, b'{"code":"' + b"4" * 5000 + b'"}', b"[" * 900 + b"]" * 900,
     b'{"a":' * 400 + b"1" + b"}" * 400, b'"' + b"x" * 5000 + b'"']
)  # fmt: skip
odd = st.one_of(values.map(orjson.dumps), raw)


def places(node: object, path: Path = ()) -> Iterator[Path]:
    """Every place in a stream's chunks at which something stands."""
    members: Iterable[tuple[Any, object]] = ()
    if isinstance(node, dict | list):
        members = node.items() if isinstance(node, dict) else enumerate(node)
    for name, value in members:
        yield (*path, name)
        yield from places(value, (*path, name))


def changed(chunks: Sequence[Any], path: Path, value: bytes) -> list[bytes]:
    """The payloads of the chunks, with this JSON at one place."""
    if not path:
        return [orjson.dumps(chunk) for chunk in chunks]
    mark = "here is the odd value"
    copy = orjson.loads(orjson.dumps(chunks))
    node = copy
    for name in path[:-1]:
        node = node[name]
    node[path[-1]] = mark
    return [orjson.dumps(chunk).replace(orjson.dumps(mark), value) for chunk in copy]


def streamed(wire: str, payloads: Sequence[bytes]) -> bytes:
    end = [b"[DONE]"] if wire == "openai-chat" else []
    return b"".join(b"data: " + payload + b"\n\n" for payload in [*payloads, *end])


def decoded(wire: str, pieces: Sequence[bytes]) -> tuple[list[Event], SutError | None, AnswerReader]:
    """All events except Beats, with adjacent texts joined; the error; and the answer as a run would read it."""
    decoder = WIRES[wire].decoder()
    events: list[Event] = []
    error = None
    try:
        for piece in pieces:
            for event in decoder.feed(Received(0, piece)):
                add(events, event)
        for event in decoder.finish():
            add(events, event)
    except SutError as raised:
        error = raised
    reading, also = answered(wire, pieces)
    assert str(also) == str(error)
    return events, error, reading


def answered(wire: str, pieces: Sequence[bytes]) -> tuple[AnswerReader, SutError | None]:
    """What a run would read, and the error with which it would end."""
    reading = AnswerReader(WIRES[wire].decoder(), None, 0)
    try:
        for piece in pieces:
            reading.feed(Received(0, piece))
        reading.end(0)
    except SutError as error:
        return reading, error
    return reading, None


def add(events: list[Event], event: Event) -> None:
    last = events[-1] if events else None
    if isinstance(event, TextDelta | ReasoningDelta) and type(last) is type(event):
        assert isinstance(last, TextDelta | ReasoningDelta)
        events[-1] = last._replace(text=last.text + event.text)
    elif not isinstance(event, Beat):
        events.append(event)


def check(event: Event) -> None:
    assert isinstance(event, get_args(Event))
    if isinstance(event, TextDelta | ReasoningDelta):
        assert type(event.text) is str
    elif isinstance(event, ToolCallDelta):
        assert {type(event.name), type(event.arguments), type(event.id)} == {str}
        assert type(event.call) is int
    elif isinstance(event, Usage):
        counts = event[1:6]
        assert all(count is None or (type(count) is int and 0 <= count <= 2**54) for count in counts)
        assert event.cost_usd is None or (isfinite(event.cost_usd) and event.cost_usd >= 0)
    elif isinstance(event, Finish):
        assert all(part is None or type(part) is str for part in event[1:])


def store(reading: AnswerReader) -> None:
    """Everything that is recorded of an answer goes into a database."""
    answer = reading.completion()
    fields = (answer.text, answer.reasoning, answer.finish_reason, answer.served_model, answer.upstream, answer.note)
    tokens = answer.tokens
    counts = (tokens.input, tokens.cache_read, tokens.cache_write, tokens.output, tokens.reasoning)
    with sqlite3.connect(":memory:") as connection:
        row = (*fields, *counts, answer.provider_cost_usd, *(text for call in reading.calls for text in call))
        assert connection.execute(f"SELECT {','.join('?' * len(row))}", row).fetchone() == row


@both
def test_a_stream_without_an_odd_field_is_whole(wire: str) -> None:
    events, error, reading = decoded(wire, [streamed(wire, changed(STREAMS[wire], (), b""))])

    assert error is None
    assert {type(event) for event in events} == {TextDelta, ReasoningDelta, ToolCallDelta, Usage, Finish}
    store(reading)


@both
@settings(max_examples=150, deadline=None)
@given(data=st.data(), value=odd, cuts=st.lists(st.floats(0, 1), max_size=8))
def test_an_odd_value_in_any_field_gives_good_events_or_one_error_wherever_it_is_cut(
    wire: str, data: st.DataObject, value: bytes, cuts: list[float]
) -> None:
    path = data.draw(st.sampled_from(list(places(STREAMS[wire]))))
    stream = streamed(wire, changed(STREAMS[wire], path, value))
    ends = sorted({0, len(stream), *(round(cut * len(stream)) for cut in cuts)})

    events, error, reading = decoded(wire, [stream])
    events_cut, error_cut, reading_cut = decoded(wire, [stream[start:end] for start, end in pairwise(ends)])

    for event in events:
        check(event)
    store(reading)
    assert events_cut == events
    assert (str(error_cut), error_cut is None) == (str(error), error is None)
    if error is not None and error_cut is not None:
        assert (error_cut.kind, error_cut.retryable) == (error.kind, error.retryable)
    assert (reading_cut.completion().text, reading_cut.calls) == (reading.completion().text, reading.calls)


MALFORMED = [
    ("openai-chat", (5, "usage", "completion_tokens"), 2**64 - 1),
    ("openai-chat", (5, "usage", "completion_tokens"), "50"),
    ("openai-chat", (5, "usage", "completion_tokens"), -1),
    ("openai-chat", (5, "usage", "completion_tokens"), 2**53 + 1),
    ("openai-chat", (5, "usage", "completion_tokens"), True),
    ("openai-chat", (5, "usage", "completion_tokens"), 1.5),
    ("openai-chat", (5, "usage", "cost"), -0.01),
    ("openai-chat", (5, "usage", "cost"), "0.5"),
    ("openai-chat", (4, "choices", 0, "finish_reason"), {}),
    ("openai-chat", (4, "choices", 0, "finish_reason"), {"why": "stop"}),
    ("openai-chat", (4, "provider"), {"name": "p"}),
    ("openai-chat", (4, "model"), {"name": "m"}),
    ("openai-chat", (0, "choices", 0, "delta", "reasoning"), {}),
    ("openai-chat", (0, "choices", 0, "delta", "content"), 7),
    ("openai-chat", (0, "choices", 0, "delta", "content"), False),
    ("openai-chat", (0, "choices", 0, "delta", "tool_calls", 0, "id"), 7),
    ("openai-chat", (0, "choices", 0, "delta", "tool_calls", 0, "index"), "0"),
    ("openai-chat", (0, "choices", 0, "delta", "tool_calls", 0, "function", "arguments"), 7),
    ("openai-chat", (0, "choices", 0, "delta", "tool_calls", 0, "function", "name"), ["f"]),
    ("openai-chat", (3, "choices", 0, "text"), ["a"]),
    ("anthropic-messages", (0, "message", "model"), {"name": "m"}),
    ("anthropic-messages", (0, "message", "usage", "input_tokens"), 2**64 - 1),
    ("anthropic-messages", (0, "message", "usage", "cache_creation_input_tokens"), -3),
    ("anthropic-messages", (4, "delta", "text"), {"text": "a"}),
    ("anthropic-messages", (2, "delta", "thinking"), {}),
    ("anthropic-messages", (5, "content_block", "name"), 7),
    ("anthropic-messages", (6, "delta", "partial_json"), 7),
    ("anthropic-messages", (8, "delta", "stop_reason"), {"type": "end_turn"}),
]


@pytest.mark.parametrize("wire, path, value", MALFORMED)
def test_a_field_of_a_wrong_type_or_range_is_malformed(wire: str, path: Path, value: object) -> None:
    _, error, _ = decoded(wire, [streamed(wire, changed(STREAMS[wire], path, orjson.dumps(value)))])

    assert error is not None
    assert (error.kind, error.retryable) == (ErrorKind.MALFORMED, True)


ACCEPTED = [
    ("openai-chat", (5, "usage", "completion_tokens"), None),
    ("openai-chat", (5, "usage", "completion_tokens"), 5.0),
    ("openai-chat", (5, "usage", "total_tokens"), "14"),
    ("openai-chat", (5, "usage", "cost"), 1),
    ("openai-chat", (0, "choices", 0, "delta", "tool_calls", 0, "id"), None),
    ("openai-chat", (0, "choices", 0, "delta", "tool_calls", 0, "type"), 7),
    ("openai-chat", (0, "choices", 0, "delta", "tool_calls"), None),
    ("openai-chat", (0, "choices", 0, "finish_reason"), ""),
    ("openai-chat", (4, "model"), None),
    ("openai-chat", (4, "choices", 0, "delta"), None),
    ("anthropic-messages", (0, "message", "usage", "cache_creation"), None),
    ("anthropic-messages", (8, "usage", "output_tokens"), 9.0),
    ("anthropic-messages", (5, "content_block", "input"), None),
    ("anthropic-messages", (7, "index"), None),
]


@pytest.mark.parametrize("wire, path, value", ACCEPTED)
def test_what_servers_really_send_is_accepted(wire: str, path: Path, value: object) -> None:
    _, error, _ = decoded(wire, [streamed(wire, changed(STREAMS[wire], path, orjson.dumps(value)))])

    assert error is None
