import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suts.wires.sse import SseSplitter


@pytest.mark.parametrize(
    "stream,payloads",
    [
        pytest.param(b"data: a\n\n", [b"a"], id="one-event"),
        pytest.param(b"data:a\n\n", [b"a"], id="no-blank"),
        pytest.param(b"data:  a\n\n", [b" a"], id="one-blank-belongs-to-the-field"),
        pytest.param(b"data: a\n\ndata: b\n\n", [b"a", b"b"], id="two-events"),
        pytest.param(b"data: a\ndata: b\n\n", [b"a\nb"], id="two-lines"),
        pytest.param(b"data: a\n\n\n\ndata: b\n\n\n", [b"a", b"b"], id="more-blank-lines"),
        pytest.param(b": ping\n\n", [b""], id="comment"),
        pytest.param(b": ping\ndata: a\n\n", [b"a"], id="comment-before-data"),
        pytest.param(b"event: x\ndata: a\nid: 7\n\n", [b"a"], id="other-fields"),
        pytest.param(b"retry: 10\n\n", [b""], id="no-data"),
        pytest.param(b"data\n\n", [b""], id="field-without-colon"),
        pytest.param(b"\xef\xbb\xbfdata: a\n\n", [b"a"], id="byte-order-mark"),
        pytest.param(b"data: a\r\rdata: b\n\n", [b"a", b"b"], id="mixed-line-ends"),
        pytest.param(b"data: a\r\n\r\ndata: b\r\n\r\n", [b"a", b"b"], id="crlf"),
        pytest.param(b"data: a\r\ndata: b\r\n\r\n", [b"a\nb"], id="two-lines-of-crlf"),
        pytest.param(b"\n\n", [], id="only-blank-lines"),
        pytest.param(b"data: a\n", [], id="not-closed"),
    ],
)
def test_a_stream_is_split_as_the_standard_says(stream: bytes, payloads: list[bytes]) -> None:
    assert list(SseSplitter().feed(stream)) == payloads
    splitter = SseSplitter()
    assert [payload for byte in stream for payload in splitter.feed(bytes([byte]))] == payloads


def test_the_rest_is_the_event_that_no_blank_line_has_closed() -> None:
    splitter = SseSplitter()

    splitter.feed(b"data: a\n\ndata: [DO")
    splitter.feed(b"NE]\n")

    assert splitter.rest() == b"[DONE]"


@given(
    texts=st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=8), max_size=6),
    line_end=st.sampled_from([b"\n", b"\r\n", b"\r"]),
    cuts=st.lists(st.integers(0, 200), max_size=10),
)
def test_what_is_written_is_read_whatever_the_cuts(texts: list[str], line_end: bytes, cuts: list[int]) -> None:
    payloads = [text.encode() for text in texts]
    stream = b"".join(b"data: " + payload + line_end * 2 for payload in payloads)
    places = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    splitter = SseSplitter()

    pieces = [stream[a:b] for a, b in pairwise(places)]

    assert [payload for piece in pieces for payload in splitter.feed(piece)] == payloads


@pytest.mark.parametrize("piece", [b"x" * 10, b"data: x\n"], ids=["one-line", "many-lines"])
def test_a_long_event_costs_no_more_for_each_piece(piece: bytes) -> None:
    def seconds(pieces: int) -> float:
        splitter = SseSplitter()
        splitter.feed(b"data: ")
        start = time.process_time()
        for _ in range(pieces):
            splitter.feed(piece)
        return time.process_time() - start

    # Ten times the pieces: ten times the time, or a hundred times where each piece costs all before it.
    assert min(seconds(80_000) for _ in range(3)) < 40 * max(seconds(8_000), 0.001)
