"""Keys in whole streams: in one event, over several, in every field, wherever the network cuts."""

import json
from collections.abc import Iterable, Sequence

import pytest

from suts.redacted_stream import redacted_stream
from suts.redaction import REDACTED, redactor_of
from suts.sut import Event, ReasoningDelta, Received, TextDelta, ToolCallDelta
from suts.wires import WIRES
from tests.keys import KEYS

KEY = KEYS["openai"]
Chunk = dict[str, object]


def chat(**delta: object) -> Chunk:
    return {"id": "x", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}


def call(text: str, index: int = 0) -> Chunk:
    return chat(tool_calls=[{"index": index, "function": {"arguments": text}}])


def block(**delta: object) -> Chunk:
    return {"type": "content_block_delta", "index": 0, "delta": delta}


def part(kind: str, text: str) -> Chunk:
    return chat(content=[{"type": "text", "text": text}]) if kind == "text" else chat(
        content=[{"type": "thinking", "thinking": [{"type": "text", "text": text}]}]
    )  # fmt: skip


FIELDS = {
    "content": ("openai-chat", lambda text: chat(content=text)),
    "reasoning": ("openai-chat", lambda text: chat(reasoning=text, reasoning_details=[{"index": 0, "text": text}])),
    "reasoning_content": ("openai-chat", lambda text: chat(reasoning_content=text)),
    "refusal": ("openai-chat", lambda text: chat(refusal=text)),
    "arguments": ("openai-chat", call),
    "part": ("openai-chat", lambda text: part("text", text)),
    "thinking part": ("openai-chat", lambda text: part("thinking", text)),
    "prompted": ("openai-chat", lambda text: {"choices": [{"index": 0, "text": text}]}),
    "text_delta": ("anthropic-messages", lambda text: block(type="text_delta", text=text)),
    "thinking_delta": ("anthropic-messages", lambda text: block(type="thinking_delta", thinking=text)),
    "input_json_delta": ("anthropic-messages", lambda text: block(type="input_json_delta", partial_json=text)),
}
every_field = pytest.mark.parametrize("wire, make", FIELDS.values(), ids=FIELDS)


def sse(chunks: Iterable[Chunk], *, ascii_only: bool = False) -> bytes:
    return b"".join(b"data: %s\n\n" % json.dumps(chunk, ensure_ascii=ascii_only).encode() for chunk in chunks)


def pieces(*data: bytes) -> list[Received]:
    return [Received(at_ns, piece) for at_ns, piece in enumerate(data, 1)]


def single_bytes(data: bytes) -> list[Received]:
    return pieces(*(data[at : at + 1] for at in range(len(data))))


def joined(stream: Iterable[Received]) -> bytes:
    return b"".join(piece.data for piece in stream)


def events(wire: str, stream: Sequence[Received]) -> list[Event]:
    decoder = WIRES[wire].decoder()
    return [event for received in stream for event in decoder.feed(received)]


def said(wire: str, stream: Sequence[Received]) -> str:
    texts = []
    for event in events(wire, stream):
        if isinstance(event, (TextDelta, ReasoningDelta)):
            texts.append(event.text)
        elif isinstance(event, ToolCallDelta):
            texts.append(event.arguments)
    return "".join(texts)


@every_field
def test_a_key_is_removed_from_every_field_whole_and_cut_at_each_character(wire: str, make: object) -> None:
    for name, key in KEYS.items():
        texts = ("I say ", *key, "!", key, "?")
        stream = pieces(*(sse([make(text)], ascii_only=text == key) for text in texts))  # type: ignore[operator]

        clean = redacted_stream(stream, redactor_of(key))

        assert said(wire, clean) == f"I say {REDACTED}!{REDACTED}?", name
        assert not redactor_of(key).finds(joined(clean).decode()), name


@pytest.mark.parametrize("key", [KEYS[name] for name in ("openai", "repeated", "overlapping", "unicode", "quotes")])
@every_field
def test_a_key_is_removed_wherever_two_events_part_it(wire: str, make: object, key: str) -> None:
    for cut in range(1, len(key)):
        stream = pieces(sse([make(f"a {key[:cut]}"), make(f"{key[cut:]} b")]))  # type: ignore[operator]

        assert said(wire, redacted_stream(stream, redactor_of(key))) == f"a {REDACTED} b"


@pytest.mark.parametrize("key", [KEYS[name] for name in ("openai", "repeated", "overlapping", "unicode")])
def test_what_is_recorded_is_the_same_wherever_the_network_cuts(key: str) -> None:
    raw = b": hello " + key.encode() + b"\n\n" + sse([chat(content=text) for text in ("x", *key[:9], key[9:], key)])
    redactor = redactor_of(key)

    whole = joined(redacted_stream(pieces(raw), redactor))

    assert not redactor.finds(whole.decode())
    assert joined(redacted_stream(single_bytes(raw), redactor)) == whole
    for cut in range(1, len(raw)):
        assert joined(redacted_stream(pieces(raw[:cut], raw[cut:]), redactor)) == whole


def test_an_event_keeps_the_arrival_of_its_last_byte() -> None:
    first, second, third = (sse([chat(content=text)]) for text in ("plain", KEY, "end"))
    stream = pieces(first, second[:30], second[30:-1], second[-1:] + third, b"")

    clean = redacted_stream(stream, redactor_of(KEY))

    assert [(event.at_ns, event.text) for event in events("openai-chat", clean)] == [  # type: ignore[union-attr]
        (1, "plain"),
        (4, REDACTED),
        (4, "end"),
    ]
    assert clean[-1] == Received(5, b"")


def test_events_without_a_key_keep_every_byte() -> None:
    odd = b'data: {"choices" : [ {"delta":{"content":"1.0e5 \\u00e9"}} ], "n": 1.50}\r\n\r\n'
    stream = pieces(odd, sse([chat(content=KEY)]))

    clean = redacted_stream(stream, redactor_of(KEY))

    assert clean[0].data == odd


@pytest.mark.parametrize(
    "chunk",
    [
        {"id": KEY, "model": f"m-{KEY}", "provider": KEY, "choices": []},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": KEY}]},
        {"choices": [], KEY: 1, "deep": [{"x": {f"a{KEY}": [KEY]}}]},
        {"error": {"message": f"bad key {KEY}", "code": KEY}},
        {"type": "message_start", "message": {"id": KEY, "model": KEY}},
    ],
)
def test_a_key_is_removed_from_whatever_else_an_event_holds(chunk: Chunk) -> None:
    clean = joined(redacted_stream(pieces(sse([chunk])), redactor_of(KEY))).decode()

    assert KEY not in clean
    assert json.loads(clean.removeprefix("data: "))


@pytest.mark.parametrize("line", ["id: {}", "event: {}", ": {}", "data: {{broken {}", "{}"])
def test_a_key_is_removed_from_lines_that_hold_no_json(line: str) -> None:
    raw = f"{line.format(KEY)} tail\n\n".encode()

    assert joined(redacted_stream(pieces(raw), redactor_of(KEY))) == raw.replace(KEY.encode(), REDACTED.encode())


def test_tool_calls_that_come_in_turns_are_read_each_for_itself() -> None:
    half = len(KEY) // 2
    turns = [call(KEY[:half], 0), call("other ", 1), call(KEY[half:], 0), call("call", 1)]

    clean = redacted_stream(pieces(sse(turns)), redactor_of(KEY))

    assert said("openai-chat", clean) == f"{REDACTED}other call"


def test_plain_text_that_is_no_utf_8_keeps_its_other_bytes() -> None:
    raw = b"\xff\xfe " + KEY.encode() + b" \xff"

    assert joined(redacted_stream(single_bytes(raw), redactor_of(KEY))) == b"\xff\xfe [redacted] \xff"
