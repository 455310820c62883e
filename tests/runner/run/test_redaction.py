"""What is said of keys that are too short, and what becomes of an answer that cannot be cleaned."""

import asyncio

import pytest

from runner.run.redaction import may_hold_secrets, short_key_warning, without_secrets, without_secrets_in_error
from runner.storage.streams import AnswerReader
from suts.failures import MESSAGE_LIMIT
from suts.registry import resolve
from suts.settings import Settings
from suts.sut import ErrorKind, Received, Sut, SutError
from tests.keys import KEYS
from tests.runner.scripted import chunk

FINISH = b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n'


def made(key: str, model: str = "openai/m") -> Sut:
    return resolve(model, Settings(base_url="http://127.0.0.1:9/v1", environment={"OPENAI_API_KEY": key}))


def test_systems_with_short_keys_are_named_in_one_line() -> None:
    suts = [made("x"), made(KEYS["plain"]), made("", "openai/other"), made("short", "openai/n@effort=high")]

    assert short_key_warning(suts) == (
        "keys of fewer than 8 characters are not removed from answers: openai/m, openai/n@effort=high"
    )
    assert short_key_warning(suts[1:3]) == ""


def test_an_answer_without_a_key_is_not_read_again() -> None:
    sut = made(KEYS["plain"])
    reading = AnswerReader(sut.wire.decoder(), None, 0)
    reading.feed(Received(1, b'data: {"choices":[{"delta":{"content":"hello"},"finish_reason":"stop"}]}\n\n'))

    assert without_secrets(reading, sut, lambda: None) is reading
    assert not asyncio.run(may_hold_secrets(reading, sut))


def read(sut: Sut, *pieces: bytes) -> AnswerReader:
    reading = AnswerReader(sut.wire.decoder(), None, 0)
    for at_ns, piece in enumerate(pieces, 1):
        reading.feed(Received(at_ns, piece))
    return reading


def test_an_answer_without_an_end_marker_keeps_its_note_when_a_key_is_removed() -> None:
    sut = made(KEYS["plain"])
    reading = read(sut, chunk(f"hello {KEYS['plain']}"), FINISH)
    reading.end(3)

    clean = without_secrets(reading, sut, lambda: None).completion()

    assert (clean.text, clean.note) == ("hello [redacted]", "ended without its end marker")


def test_what_follows_the_end_marker_is_no_part_of_a_clean_answer() -> None:
    sut = made(KEYS["plain"])
    reading = read(sut, chunk(KEYS["plain"]) + FINISH + b"data: [DONE]\n\n" + chunk("late"))
    reading.end(1)

    clean = without_secrets(reading, sut, lambda: None)

    assert (clean.ended, clean.completion().text) == (True, "[redacted]")


def test_an_error_object_that_no_blank_line_closes_shows_no_part_of_a_key() -> None:
    sut = made(KEYS["plain"])
    message = "x" * (MESSAGE_LIMIT - 10) + KEYS["plain"]
    reading = read(sut, b'data: {"error": {"message": "' + message.encode() + b'"}}')
    with pytest.raises(SutError) as caught:
        reading.end(1)

    error = without_secrets_in_error(caught.value, reading, sut)

    assert KEYS["plain"][:6] not in str(error)


def test_an_error_of_the_connection_keeps_its_kind_when_a_key_is_removed() -> None:
    sut = made(KEYS["plain"])
    reading = read(sut, chunk(KEYS["plain"]))
    late = SutError(ErrorKind.TIMEOUT, "too late", retryable=False)

    error = without_secrets_in_error(late, reading, sut)

    assert (error.kind, str(error), error.retryable) == (ErrorKind.TIMEOUT, "too late", False)


@pytest.mark.parametrize("depth", [300, 900])
def test_a_key_beside_json_that_is_nested_deep_is_removed(depth: int) -> None:
    sut = made(KEYS["plain"])
    deep = b"[" * depth + b"]" * depth
    odd = b'data: {"choices":[{"delta":{"content":"' + KEYS["plain"].encode() + b'","x":' + deep + b"}}]}\n\n"
    reading = read(sut, odd, FINISH, b"data: [DONE]\n\n")
    reading.end(3)

    assert without_secrets(reading, sut, lambda: None).completion().text == "[redacted]"
