"""What is said of keys that are too short, and what becomes of an answer that cannot be cleaned."""

from runner.run.redaction import short_key_warning, without_secrets
from runner.storage.streams import AnswerReader
from suts.registry import resolve
from suts.settings import Settings
from suts.sut import Received, Sut
from tests.keys import KEYS


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
