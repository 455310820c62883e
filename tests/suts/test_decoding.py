import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suts.sut import Beat, ErrorKind, Event, Finish, ReasoningDelta, Received, SutError, TextDelta, Usage
from suts.wires import WIRES

CHAT = WIRES["openai-chat"]


def chunk(text: object, **more: object) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    return b"data: " + orjson.dumps({"id": "1", "model": "m", "choices": [choice], **more}) + b"\n\n"


def events(*pieces: bytes) -> list[Event]:
    decoder = CHAT.decoder()
    return [event for piece in pieces for event in decoder.feed(Received(0, piece))]


@given(st.lists(st.text(min_size=1), min_size=1))
def test_every_text_is_read_as_it_was_written(texts: list[str]) -> None:
    assert events(*map(chunk, texts)) == [TextDelta(0, text) for text in texts]


@given(st.lists(st.sampled_from(["content", "id", "delta", "x", "", '"', "\\", "m", "1", "\n"])))
def test_a_text_that_looks_like_the_chunk_around_it_is_read(texts: list[str]) -> None:
    assert events(*map(chunk, texts)) == [TextDelta(0, text) if text else Beat(0) for text in texts]


NASTY = st.one_of(st.text(), st.sampled_from(["content", '"', "\\", '"}}]}', "data: {", "\n\ndata: ", "\r"]))


@given(st.lists(st.lists(NASTY, min_size=1, max_size=5), max_size=6), st.sampled_from([b"\n", b"\r\n"]))
def test_several_chunks_in_a_piece_are_read_like_one_by_one(pieces: list[list[str]], line_end: bytes) -> None:
    texts = [text for piece in pieces for text in piece if text]
    joined = [b"".join(map(chunk, piece)).replace(b"\n", line_end) for piece in pieces]

    assert [event for event in events(*joined) if event != Beat(0)] == [TextDelta(0, text) for text in texts]


@pytest.mark.parametrize("broken", [b'"', b"\\", b"\xff", b"\x01", b'a" "b'])
def test_a_broken_chunk_among_equal_ones_in_a_piece_is_malformed(broken: bytes) -> None:
    odd = chunk("x").replace(b'"x"', b'"' + broken + b'"')

    with pytest.raises(SutError) as caught:
        events(chunk("a"), chunk("b") + odd + chunk("c"))

    assert caught.value.kind == ErrorKind.MALFORMED


@given(st.lists(st.sampled_from(["a", "some words", '"', "", "x" * 500]), max_size=60), st.integers(1, 9000))
def test_many_events_in_one_piece_are_those_of_many_pieces(texts: list[str], size: int) -> None:
    thought = b'data: {"id": "1", "choices": [{"index": 0, "delta": {"reasoning": "hm"}}]}\n\n'
    stream = [chunk(""), *map(chunk, texts), thought, *map(chunk, texts), b"data: [DONE]\n\n"]
    whole = b"".join(stream)

    read = events(*(whole[at : at + size] for at in range(0, len(whole), size)))

    assert [event for event in read if not isinstance(event, Beat)] == [
        event for event in events(*stream) if not isinstance(event, Beat)
    ]


@pytest.mark.parametrize(
    "odd,expected",
    [
        pytest.param(chunk(None), [Beat(0)], id="null"),
        pytest.param(chunk(""), [Beat(0)], id="empty"),
        pytest.param(chunk("c", usage={"prompt_tokens": 2}), [TextDelta(0, "c"), Usage(0, 2)], id="usage"),
        pytest.param(chunk("c") + chunk("d"), [TextDelta(0, "c"), TextDelta(0, "d")], id="two-in-one-piece"),
        pytest.param(b": ping\n\n", [], id="comment"),
    ],
)
def test_an_odd_chunk_among_equal_ones_is_read(odd: bytes, expected: list[Event]) -> None:
    around = [TextDelta(0, "a"), TextDelta(0, "b")]

    read = events(chunk("a"), chunk("b"), odd, chunk("a"), chunk("b"))

    assert read == [*around, *expected, *around]


def test_nothing_is_read_after_the_end_marker() -> None:
    decoder = CHAT.decoder()
    for piece in (chunk("a"), chunk("b"), b"data: [DONE]\n\n"):
        decoder.feed(Received(0, piece))

    assert list(decoder.feed(Received(1, chunk("c")))) == [Beat(1)]


def test_a_piece_that_completes_nothing_gives_no_event() -> None:
    assert events(b"data: {") == []


def test_a_piece_of_several_empty_chunks_beats_once() -> None:
    assert events(b": ping\n\n" + chunk("") + chunk(None)) == [Beat(0)]


def test_a_stream_without_a_finish_reason_finishes_with_the_end_marker() -> None:
    assert events(chunk("a"), b"data: [DONE]\n\n")[-1] == Finish(0, None, "m")


@pytest.mark.parametrize(
    "stream",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(chunk("a"), id="without-done"),
        pytest.param(chunk("a") + b"data: [DON", id="within-the-marker"),
        pytest.param(chunk("a") + b'data: {"choices"', id="within-a-chunk"),
    ],
)
def test_a_stream_that_ends_early_is_cut(stream: bytes) -> None:
    decoder = CHAT.decoder()
    decoder.feed(Received(0, stream))

    with pytest.raises(SutError) as caught:
        decoder.finish()

    assert (caught.value.kind, caught.value.retryable) == (ErrorKind.CUT, True)


@pytest.mark.parametrize(
    "payload",
    [
        b"{",
        b"nonsense",
        b"[]",
        b"7",
        b'{"choices": [7]}',
        b'{"choices": [{"delta": 7}]}',
        b'{"choices": [{"delta": {"content": 7}}]}',
        b'{"choices": [{"delta": {"content": [{"type": "text"}]}}]}',
        b'{"choices": [{"delta": {"tool_calls": 7}}]}',
        b'{"choices": [], "usage": 7}',
        b'{"choices": [{"delta": {"content": "\xff"}}]}',
        b'{"choices": [{"delta": {"content": "a\x01"}}]}',
    ],
)
def test_what_is_no_chunk_is_malformed(payload: bytes) -> None:
    with pytest.raises(SutError) as caught:
        events(chunk("a"), chunk("b"), b"data: " + payload + b"\n\n")

    assert (caught.value.kind, caught.value.retryable) == (ErrorKind.MALFORMED, True)


@pytest.mark.parametrize(
    "payload,kind,retryable",
    [
        pytest.param({"error": {"code": 502, "message": "gone"}}, ErrorKind.SERVER, True, id="code"),
        pytest.param({"error": {"code": "429", "message": "slow"}}, ErrorKind.RATE_LIMIT, True, id="text-code"),
        pytest.param({"error": {"type": "overloaded_error"}}, ErrorKind.OVERLOADED, True, id="type"),
        pytest.param({"error": {"message": "?"}}, ErrorKind.SERVER, True, id="unknown"),
        pytest.param({"error": "boom"}, ErrorKind.SERVER, True, id="text"),
        pytest.param({"error": {"code": 400, "message": "long"}}, ErrorKind.BAD_REQUEST, False, id="bad-request"),
        pytest.param({"error": {"code": 401, "message": "who"}}, ErrorKind.AUTH, False, id="key"),
        pytest.param(
            {"choices": [{"delta": {"content": ""}, "finish_reason": "error", "error": {"code": 503}}]},
            ErrorKind.OVERLOADED,
            True,
            id="choice",
        ),
        pytest.param(
            {"choices": [{"delta": {}, "finish_reason": "error"}]}, ErrorKind.SERVER, True, id="finish-reason"
        ),
    ],
)
def test_an_error_object_inside_the_stream_is_an_error(
    payload: dict[str, object], kind: ErrorKind, retryable: bool
) -> None:
    error = b"data: " + orjson.dumps(payload) + b"\n\n"

    with pytest.raises(SutError) as first:
        events(b": ping\n\n", error)
    with pytest.raises(SutError) as within:
        events(chunk("a"), error)

    assert (first.value.kind, first.value.retryable) == (kind, retryable)
    assert (within.value.kind, within.value.retryable) == (kind, True)


@pytest.mark.parametrize(
    "usage,cost",
    [
        pytest.param({"cost": 0.5}, 0.5, id="charge"),
        pytest.param({"cost": 0, "cost_details": {"upstream_inference_cost": 0.25}}, 0.25, id="own-key-unsaid"),
        pytest.param(
            {"cost": 0.5, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.25}}, 0.75, id="own-key"
        ),
        pytest.param(
            {"cost": 0.5, "is_byok": False, "cost_details": {"upstream_inference_cost": 0.5}}, 0.5, id="their-key"
        ),
        pytest.param({"cost": 0.5, "cost_details": {"upstream_inference_cost": None}}, 0.5, id="null"),
        pytest.param({"prompt_tokens": 1}, None, id="not-told"),
    ],
)
def test_the_cost_is_the_providers_own(usage: dict[str, object], cost: float | None) -> None:
    (read,) = events(b"data: " + orjson.dumps({"choices": [], "usage": usage}) + b"\n\n")

    assert isinstance(read, Usage)
    assert read.cost_usd == cost


def message(**event: object) -> bytes:
    return f"event: {event['type']}\ndata: ".encode() + orjson.dumps(event) + b"\n\n"


def text_delta(text: str, kind: str = "text_delta", field: str = "text") -> bytes:
    return message(type="content_block_delta", index=0, delta={"type": kind, field: text})


def read_message(*pieces: bytes) -> list[Event]:
    decoder = WIRES["anthropic-messages"].decoder()
    return [event for piece in pieces for event in decoder.feed(Received(0, piece))]


@given(st.lists(st.tuples(st.text(min_size=1), st.booleans()), min_size=1))
def test_text_and_thinking_are_told_apart(parts: list[tuple[str, bool]]) -> None:
    pieces = [text_delta(text) if said else text_delta(text, "thinking_delta", "thinking") for text, said in parts]

    assert read_message(*pieces) == [TextDelta(0, text) if said else ReasoningDelta(0, text) for text, said in parts]


def test_counts_that_come_later_replace_earlier_ones() -> None:
    start = message(type="message_start", message={"model": "m", "usage": {"input_tokens": 5, "output_tokens": 1}})
    end = message(type="message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 9})

    assert read_message(start, end) == [
        Usage(0, input_tokens=5, output_tokens=1),
        Finish(0, "end_turn", "m"),
        Usage(0, input_tokens=5, output_tokens=9),
    ]


@pytest.mark.parametrize("piece", [message(type="ping"), message(type="brand_new")])
def test_what_says_nothing_beats(piece: bytes) -> None:
    assert read_message(text_delta("a"), piece) == [TextDelta(0, "a"), Beat(0)]


@pytest.mark.parametrize("piece", [b": x\n\n", b":\n\n", b": x\r\n\r\n", b"event: x\n\n"])
def test_a_comment_is_no_event(piece: bytes) -> None:
    assert read_message(piece, text_delta("a"), piece) == [TextDelta(0, "a")]


@pytest.mark.parametrize(
    "word,kind,retryable",
    [
        ("overloaded_error", ErrorKind.OVERLOADED, True),
        ("rate_limit_error", ErrorKind.RATE_LIMIT, True),
        ("api_error", ErrorKind.SERVER, True),
        ("timeout_error", ErrorKind.TIMEOUT, True),
        ("invalid_request_error", ErrorKind.BAD_REQUEST, False),
        ("authentication_error", ErrorKind.AUTH, False),
    ],
)
def test_an_error_event_is_an_error(word: str, kind: ErrorKind, retryable: bool) -> None:
    error = message(type="error", error={"type": word, "message": "sorry"})

    with pytest.raises(SutError, match=word) as first:
        read_message(message(type="ping"), error)
    with pytest.raises(SutError, match=word) as within:
        read_message(text_delta("a"), error)

    assert (first.value.kind, first.value.retryable) == (kind, retryable)
    assert (within.value.kind, within.value.retryable) == (kind, True)


@pytest.mark.parametrize("stream", [b"", text_delta("a"), text_delta("a") + b'data: {"type":"message_st'])
def test_a_message_without_its_stop_is_cut(stream: bytes) -> None:
    decoder = WIRES["anthropic-messages"].decoder()
    decoder.feed(Received(0, stream))

    with pytest.raises(SutError) as caught:
        decoder.finish()

    assert caught.value.kind == ErrorKind.CUT


@pytest.mark.parametrize(
    "event",
    [
        {"no": "type"},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta"}},
        {"type": "content_block_delta", "index": 0},
        {"type": "message_start", "message": 7},
        {"type": "message_delta", "delta": {}, "usage": 7},
    ],
)
def test_what_is_no_event_of_a_message_is_malformed(event: dict[str, object]) -> None:
    with pytest.raises(SutError) as caught:
        read_message(b"data: " + orjson.dumps(event) + b"\n\n")

    assert caught.value.kind == ErrorKind.MALFORMED


@pytest.mark.parametrize("lifetimes, written", [({"ephemeral_5m_input_tokens": 3}, 3), ({"other": 1}, None)])
def test_writes_to_the_cache_told_by_lifetime_alone_are_added(lifetimes: dict[str, int], written: int | None) -> None:
    start = message(type="message_start", message={"usage": {"input_tokens": 1, "cache_creation": lifetimes}})

    assert read_message(start) == [Usage(0, input_tokens=1, cache_write_tokens=written)]
