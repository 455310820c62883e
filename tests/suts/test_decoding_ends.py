"""The end of a chat's stream: the end marker, what stands in for it, and errors after other events."""

import orjson
import pytest

from suts.sut import Beat, ErrorKind, Event, Finish, Note, Received, SutError, TextDelta
from tests.suts.test_decoding import CHAT, chunk, events


@pytest.mark.parametrize("marker", [b"[DONE] ", b" [DONE]", b"[DONE]\t", b"  [DONE]  "])
def test_white_space_around_the_end_marker_does_not_count(marker: bytes) -> None:
    decoder = CHAT.decoder()
    list(decoder.feed(Received(0, chunk("a"))))
    before = decoder.ended

    list(decoder.feed(Received(0, b"data: " + marker + b"\n\n")))

    assert (before, decoder.ended) == (False, True)
    assert list(decoder.finish()) == []


def choice(index: int | None, text: str | None, reason: str | None = None) -> dict[str, object]:
    delta = {} if text is None else {"content": text}
    return {**({} if index is None else {"index": index}), "delta": delta, "finish_reason": reason}


def choices(*members: dict[str, object]) -> bytes:
    return b"data: " + orjson.dumps({"choices": members}) + b"\n\n"


def test_only_the_first_choice_is_read() -> None:
    stream = [
        choices(choice(1, "x"), choice(0, "a")),
        choices(choice(1, "y", "length")),
        choices(choice(None, "b")),
        choices(choice(0, None, "stop"), choice(1, None, "length")),
    ]

    read = [event for event in events(*stream) if event != Beat(0)]

    assert read == [TextDelta(0, "a"), TextDelta(0, "b"), Finish(0, "stop")]


def test_the_last_finish_reason_counts_and_an_equal_one_is_told_once() -> None:
    stream = [choices(choice(0, None, reason)) for reason in ("stop", "stop", None, "", "length")]

    read = [event for event in events(*stream) if event != Beat(0)]

    assert read == [Finish(0, "stop"), Finish(0, "length")]


def feed_to_error(*pieces: bytes) -> tuple[list[Event], SutError]:
    """The events before the error, and the error."""
    decoder, read = CHAT.decoder(), list[Event]()
    with pytest.raises(SutError) as caught:
        read.extend(event for piece in pieces for event in decoder.feed(Received(0, piece)))
    return read, caught.value


@pytest.mark.parametrize("broken", [b'data: {"error": {"code": 502}}\n\n', b"data: nonsense\n\n"])
def test_what_came_before_an_error_is_told_wherever_the_stream_is_cut(broken: bytes) -> None:
    apart, first = feed_to_error(chunk("a"), chunk("b"), broken)
    at_once, second = feed_to_error(chunk("a") + chunk("b") + broken)

    assert apart == at_once == [TextDelta(0, "a"), TextDelta(0, "b")]
    assert (str(first), first.kind, first.retryable) == (str(second), second.kind, second.retryable)


def test_an_error_that_nobody_saw_is_raised_at_the_end() -> None:
    decoder = CHAT.decoder()
    decoder.feed(Received(0, chunk("a") + b"data: nonsense\n\n"))

    with pytest.raises(SutError, match="nonsense"):
        decoder.finish()


def test_an_error_object_that_no_blank_line_closes_is_still_an_error() -> None:
    decoder = CHAT.decoder()
    decoder.feed(Received(0, chunk("a") + b'data: {"error": {"code": 400, "message": "long"}}\n'))

    with pytest.raises(SutError, match="400: long") as caught:
        decoder.finish()

    assert (caught.value.kind, caught.value.retryable) == (ErrorKind.BAD_REQUEST, True)


def test_a_finish_reason_without_a_blank_line_ends_no_answer() -> None:
    decoder = CHAT.decoder()
    decoder.feed(Received(0, chunk("a") + choices(choice(0, None, "stop")).rstrip(b"\n")))

    with pytest.raises(SutError) as caught:
        decoder.finish()

    assert caught.value.kind is ErrorKind.CUT


def test_a_finish_reason_without_the_end_marker_is_noted() -> None:
    decoder = CHAT.decoder()
    decoder.feed(Received(7, chunk("a") + choices(choice(0, None, "stop"))))

    assert list(decoder.finish()) == [Note(7, "ended without its end marker")]
    assert not decoder.ended


def test_an_end_marker_without_a_blank_line_tells_what_it_would_have_told_with_one() -> None:
    decoder = CHAT.decoder()
    decoder.feed(Received(5, chunk("a") + b"data: [DONE]"))

    assert list(decoder.finish()) == [Finish(5, None, "m")]
    assert decoder.ended
