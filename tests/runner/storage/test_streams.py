"""An answer is a function of its raw stream: read live or from the records it is the same."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from parsers import PARSERS
from runner.records import Clocks, Completion, Tokens
from runner.storage.streams import AnswerReader, pack, read_again, unpack
from suts.sut import ErrorKind, Received, SutError, Wire
from suts.wires import WIRES
from tests.runner.scripted import chunk, ending
from tests.suts.reading import RECORDED, recorded, wire_of

CHAT = WIRES["openai-chat"]
PLAIN = WIRES["plain"]
PARSER = PARSERS["xml-tools-v2"]
CALL = (
    "Sure. <replace_in_file>\n<path>a.py</path>\n<diff>\n------- SEARCH\nold\n=======\nnew\n+++++++ REPLACE\n</diff>\n"
    "</replace_in_file>"
)
SENT_NS = 5_000_000_123

pieces_of = st.lists(st.binary(min_size=1, max_size=40), max_size=20)
gaps_ns = st.integers(min_value=0, max_value=10**10)


def cut(data: bytes, places: Sequence[int], gaps: Sequence[int]) -> list[Received]:
    """The bytes in pieces that end at these places; each arrives after the next gap."""
    ends = [*sorted({place % len(data) for place in places} - {0}), len(data)]
    at_ns, stream = SENT_NS, []
    for index, (start, end) in enumerate(pairwise([0, *ends])):
        at_ns += gaps[index % len(gaps)]
        stream.append(Received(at_ns, data[start:end]))
    return stream


def read(stream: Sequence[Received], wire: Wire = CHAT, end_ns: int = SENT_NS) -> Completion:
    """The live reading, whose end the asker sees at `end_ns`."""
    reading = AnswerReader(wire.decoder(), PARSER.start(), SENT_NS)
    for received in stream:
        reading.feed(received)
    reading.end(end_ns)
    return reading.completion()


def stored(completion: Completion) -> tuple[Received, ...]:
    packed = pack(completion.stream, completion.sent_ns, zstandard.ZstdCompressor())
    return unpack(packed, zstandard.ZstdDecompressor())


def facts(completion: Completion) -> tuple[object, ...]:
    """All that is a function of the stream."""
    return (
        completion.text,
        completion.reasoning,
        completion.clocks,
        completion.tokens,
        completion.finish_reason,
        completion.served_model,
        completion.upstream,
        completion.provider_cost_usd,
    )


@given(data=pieces_of, gaps=st.lists(gaps_ns, min_size=20, max_size=20))
def test_a_stream_comes_back_from_its_bytes_to_the_microsecond(data: list[bytes], gaps: list[int]) -> None:
    at_ns, stream = SENT_NS, []
    for piece, gap in zip(data, gaps, strict=False):
        at_ns += gap
        stream.append(Received(at_ns, piece))

    packed = pack(stream, SENT_NS, zstandard.ZstdCompressor())
    back = unpack(packed, zstandard.ZstdDecompressor())

    assert back == tuple(Received((at - SENT_NS) // 1000 * 1000, piece) for at, piece in stream)
    assert (packed.pieces, packed.size) == (len(stream), sum(map(len, data)))


@given(
    places=st.lists(st.integers(min_value=0, max_value=10_000), max_size=30),
    gaps=st.lists(gaps_ns, min_size=1, max_size=8),
    end_gap=gaps_ns,
    drop=st.integers(min_value=0, max_value=3),
)
def test_reading_again_gives_the_same_answer_however_the_bytes_were_cut(
    places: list[int], gaps: list[int], end_gap: int, drop: int
) -> None:
    data = b"".join(chunk(CALL[start : start + 7]) for start in range(0, len(CALL), 7)) + ending("stop", 30, 12)
    stream = cut(data, places, gaps)
    marked = [Received(stream[0].at_ns, b""), *stream] if drop == 1 else stream
    ended = [*marked, *([Received(stream[-1].at_ns + end_gap, b"")] * (drop == 2))]

    live = read(ended, end_ns=stream[-1].at_ns + end_gap)
    again = read_again(stored(live), CHAT.decoder(), PARSER.start())

    assert live.text == CALL
    assert facts(again) == facts(live)


@pytest.mark.parametrize("size", [1, 17, 1_000])
@pytest.mark.parametrize("name", [path.stem for path in sorted(RECORDED.glob("*.sse"))])
def test_a_recorded_stream_of_every_provider_is_read_again_as_it_was(name: str, size: int) -> None:
    wire = wire_of(name)
    data = recorded(name)
    stream = cut(data, range(0, len(data), size), [1_234_567])

    live = read(stream, wire)

    assert live.clocks.first_token_ms is not None
    assert facts(read_again(stored(live), wire.decoder(), PARSER.start())) == facts(live)


def test_pieces_without_bytes_at_the_end_are_read_again_as_they_were() -> None:
    stream = [Received(SENT_NS + 1_000, b"text"), Received(SENT_NS + 2_000, b""), Received(SENT_NS + 9_000, b"")]

    live = read(stream, PLAIN)

    assert live.clocks.round_trip_ms == 0.009
    assert facts(read_again(stored(live), PLAIN.decoder(), None)) == facts(live)


def test_a_first_piece_without_bytes_is_the_moment_of_sending() -> None:
    stream = [Received(SENT_NS + 3_000_000, b""), Received(SENT_NS + 5_000_000, b"text")]

    completion = read(stream, PLAIN)

    assert completion.sent_ns == SENT_NS + 3_000_000
    assert completion.clocks.first_token_ms == 2.0
    assert completion.stream[0].data == b"text"


def test_a_last_piece_without_bytes_is_the_end_of_the_stream() -> None:
    stream = [Received(SENT_NS + 1_000_000, b"text"), Received(SENT_NS + 4_000_000, b"")]

    completion = read(stream, PLAIN, end_ns=SENT_NS + 9_000_000)

    assert completion.clocks.round_trip_ms == 4.0


def test_without_one_the_askers_clock_says_when_the_stream_ended() -> None:
    completion = read([Received(SENT_NS + 1_000_000, b"text")], PLAIN, end_ns=SENT_NS + 9_000_000)

    assert completion.clocks.round_trip_ms == 9.0
    assert completion.stream[-1] == Received(SENT_NS + 9_000_000, b"")


def test_a_stream_ends_no_earlier_than_its_last_piece_came() -> None:
    completion = read([Received(SENT_NS + 5_000_000, b"text")], PLAIN, end_ns=SENT_NS + 1_000_000)

    assert completion.clocks.round_trip_ms == 5.0
    assert facts(read_again(stored(completion), PLAIN.decoder(), None)) == facts(completion)


def test_each_mark_is_stamped_with_the_piece_that_shows_it() -> None:
    tag = CALL.index("<replace_in_file>") + len("<replace_in_file>")
    line = CALL.index("new\n") + len("new\n")
    texts = [CALL[:tag], CALL[tag:line], CALL[line:]]
    stream = [Received(SENT_NS + at * 1_000_000, chunk(text)) for at, text in enumerate(texts, 1)]

    clocks = read([*stream, Received(SENT_NS + 4_000_000, ending())]).clocks

    assert clocks == Clocks(first_token_ms=1.0, first_edit_ms=1.0, first_line_ms=2.0, closed_ms=3.0, round_trip_ms=4.0)


def test_the_first_event_of_any_kind_is_the_first_token() -> None:
    role = b'data: {"choices":[{"delta":{"role":"assistant"}}]}\n\n'
    stream = [Received(SENT_NS + 1_000_000, role), Received(SENT_NS + 2_000_000, chunk("hi") + ending())]

    clocks = read(stream).clocks

    assert clocks.first_token_ms == 1.0
    assert clocks.first_edit_ms is None


def test_without_a_parser_no_edit_is_looked_for() -> None:
    reading = AnswerReader(PLAIN.decoder(), None, 0)

    reading.feed(Received(1_000_000, CALL.encode()))
    reading.end(2_000_000)

    assert reading.completion().text == CALL
    assert reading.completion().clocks == Clocks(first_token_ms=1.0, round_trip_ms=2.0)


def test_what_a_later_report_of_usage_leaves_out_keeps_its_older_value() -> None:
    first = b'data: {"choices":[],"usage":{"prompt_tokens":20,"prompt_tokens_details":{"cached_tokens":5}}}\n\n'
    second = b'data: {"choices":[],"usage":{"completion_tokens":7,"cost":0.25}}\n\n'

    completion = read([Received(SENT_NS, first), Received(SENT_NS, second), Received(SENT_NS, chunk("x") + ending())])

    assert completion.tokens == Tokens(input=15, cache_read=5, output=7)
    assert completion.provider_cost_usd == 0.25


def test_nothing_told_is_nothing_known() -> None:
    completion = read([Received(SENT_NS, b"text")], PLAIN)

    assert completion.tokens == Tokens()
    assert (completion.finish_reason, completion.served_model, completion.cost_usd) == (None, None, None)


@pytest.mark.parametrize(
    "data, kind",
    [
        pytest.param(chunk("half"), ErrorKind.CUT, id="no end marker"),
        pytest.param(b"data: {not json}\n\n", ErrorKind.MALFORMED, id="no chunk"),
        pytest.param(b'data: {"error":{"message":"sorry","code":529}}\n\n', ErrorKind.OVERLOADED, id="an error object"),
    ],
)
def test_a_stream_that_failed_live_fails_when_read_again(data: bytes, kind: ErrorKind) -> None:
    stream = [Received(0, data), Received(1_000, b"")]

    with pytest.raises(SutError) as live:
        read([Received(SENT_NS, data)])
    with pytest.raises(SutError) as again:
        read_again(stream, CHAT.decoder(), None)

    assert (live.value.kind, again.value.kind) == (kind, kind)


def test_an_arrival_before_the_request_counts_as_at_once() -> None:
    completion = read([Received(SENT_NS - 50, b"early")], PLAIN)

    assert completion.clocks.first_token_ms == 0.0
    assert stored(completion)[0] == Received(0, b"early")


@pytest.mark.parametrize("wire", [pytest.param(wire, id=wire.name) for wire in WIRES.values()])
def test_a_piece_without_bytes_says_nothing_on_any_wire(wire: Wire) -> None:
    decoder = wire.decoder()

    assert list(decoder.feed(Received(0, b""))) == []
