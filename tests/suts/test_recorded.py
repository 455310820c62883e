"""Recorded answers are given as they are, at once, on a wire whose bytes are the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suts.recorded import Recorded
from suts.sut import ErrorKind, Message, Received, Request, SutError, TextDelta
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
