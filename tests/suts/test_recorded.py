"""Recorded answers are given as they are, at once, on a wire whose bytes are the text."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suts.recorded import Recorded
from suts.sut import ErrorKind, Message, Received, Request, SutError, TextDelta, Usage, WholeText
from suts.wires import WIRES

QUESTION = (Message("user", "Which?"),)


async def test_a_recorded_answer_comes_at_once() -> None:
    sut = Recorded({QUESTION: "That one: “é🙂”"})

    pieces = [piece async for piece in sut.stream(Request("", QUESTION))]

    assert {piece.at_ns for piece in pieces} == {0}
    assert b"".join(piece.data for piece in pieces).decode() == "That one: “é🙂”"
    assert (sut.endpoint.timed, sut.wire.name) == (False, "plain")
    await sut.aclose()


def test_recorded_answers_may_have_a_name_of_their_own() -> None:
    assert Recorded({}).name == "recorded"
    named = Recorded({}, "first")
    assert (named.name, named.endpoint.provider, named.endpoint.timed) == ("first", "first", False)


async def test_a_conversation_without_a_recorded_answer_is_not_asked_again() -> None:
    sut = Recorded({QUESTION: "That one."})

    with pytest.raises(SutError) as refused:
        [piece async for piece in sut.stream(Request("", (Message("user", "Another?"),)))]

    assert (refused.value.kind, refused.value.retryable) == (ErrorKind.BAD_REQUEST, False)


@given(text=st.text(max_size=60), size=st.integers(1, 7))
def test_plain_text_is_the_same_however_its_bytes_are_cut(text: str, size: int) -> None:
    data = text.encode()
    decoder = WIRES["plain"].decoder()

    events = [
        event
        for start in range(0, len(data), size)
        for event in decoder.feed(Received(start, data[start : start + size]))
    ]
    decoder.finish()

    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == text


@pytest.mark.parametrize("cuts", [(), (1,), (1, 9), (5, 9), (3, 10, 20)])
def test_a_modules_answer_and_its_report_are_the_same_however_they_are_cut(cuts: tuple[int, ...]) -> None:
    data = b'{"lines":[]}\n{"cost_usd":1.75,"output_tokens":7}'
    places = (0, *cuts, len(data))
    decoder = WIRES["reported"].decoder()

    events = [event for start, end in pairwise(places) for event in decoder.feed(Received(start, data[start:end]))]

    assert "".join(event.text for event in events if isinstance(event, TextDelta | WholeText)) == '{"lines":[]}'
    assert isinstance(events[0], TextDelta) == (cuts[:1] == (1,))
    assert list(decoder.finish()) == [Usage(places[-2], output_tokens=7, cost_usd=1.75)]


@pytest.mark.parametrize("report", [b"7", b"{", b'{"cost":1}', b'{"cost_usd":-1}', b'{"input_tokens":1.5}'])
def test_a_report_in_another_form_is_malformed(report: bytes) -> None:
    decoder = WIRES["reported"].decoder()
    list(decoder.feed(Received(0, b"{}\n" + report)))

    with pytest.raises(SutError) as refused:
        list(decoder.finish())

    assert (refused.value.kind, refused.value.retryable) == (ErrorKind.MALFORMED, False)


def test_of_an_answer_without_a_report_nothing_is_known() -> None:
    decoder = WIRES["reported"].decoder()

    assert list(decoder.feed(Received(0, b"{}"))) == [WholeText(0, "{}")]
    assert list(decoder.finish()) == []
