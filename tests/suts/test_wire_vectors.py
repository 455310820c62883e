"""Example streams of every vendor's wire, and what a tolerant reader understands of them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from runner.records import Completion
from runner.storage.streams import AnswerReader, read_again
from suts.sut import ErrorKind, Received, SutError
from suts.wires import WIRES
from tests.vectors import files

pytestmark = pytest.mark.conformance
SIZES = (1, 7, 41)


def streams() -> list[Path]:
    return files("wires", "*.sse")


def cuts(data: bytes) -> Iterator[list[bytes]]:
    """The stream in one piece, in small pieces, and with a cut behind each event."""
    yield [data]
    for size in SIZES:
        yield [data[at : at + size] for at in range(0, len(data), size)]
    yield re.findall(rb".+?\n\n|.+", data, re.DOTALL)


def understood(wire: str, pieces: list[bytes], *, aborted: bool) -> tuple[AnswerReader, SutError | None]:
    reading = AnswerReader(WIRES[wire].decoder(), None, 0)
    lost = SutError(ErrorKind.CUT, "connection lost") if aborted else None
    try:
        for at_ns, piece in enumerate(pieces, 1):
            reading.feed(Received(at_ns, piece))
        reading.end(len(pieces) + 1, lost)
    except SutError as error:
        return reading, error
    return reading, None


def facts(reading: AnswerReader, error: SutError | None) -> dict[str, Any]:
    answer = reading.completion()
    tokens = answer.tokens
    counts = {
        "input_tokens": tokens.input,
        "cache_read_tokens": tokens.cache_read,
        "cache_write_tokens": tokens.cache_write,
        "output_tokens": tokens.output,
        "reasoning_tokens": tokens.reasoning,
        "cost_usd": answer.provider_cost_usd,
    }
    calls = [{"id": call.id or None, "name": call.name, "arguments": call.arguments} for call in reading.calls]
    return {
        "text": answer.text,
        "reasoning": answer.reasoning,
        "tool_calls": calls,
        "finish": answer.finish_reason,
        "usage": None if set(counts.values()) == {None} else counts,
        "error": error is not None,
        "note": answer.note,
    }


def wanted(expected: dict[str, Any]) -> dict[str, Any]:
    """A refusal is part of the text in our wires."""
    names = ("reasoning", "tool_calls", "finish", "usage")
    return {
        "text": expected["text"] + expected["refusal"],
        **{name: expected[name] for name in names},
        "error": expected["error"] is not None,
        "note": "ended without its end marker" if "note" in expected else None,
    }


def check_error(error: SutError, expected: dict[str, Any], *, answering: bool) -> None:
    own = {"cut": ErrorKind.CUT, "transport": ErrorKind.CUT, "malformed": ErrorKind.MALFORMED}
    if expected["code"] in own:
        assert error.kind is own[expected["code"]]
    else:
        assert expected["code"] in str(error)
        assert expected["message"] in str(error)
    # Once an answer has begun the provider has accepted the request, so that asking again may help.
    assert error.retryable is (answering or expected["retryable"])


def test_every_stream_is_understood_as_expected_wherever_it_is_cut() -> None:
    for path in streams():
        told = json.loads(path.with_suffix(".json").read_text())
        expected = told["expected"]
        for pieces in cuts(path.read_bytes()):
            reading, error = understood(told["wire"], pieces, aborted=told["ending"] == "abort")

            assert facts(reading, error) == wanted(expected), (path.stem, len(pieces))
            if error is not None:
                begun = bool(expected["text"] or expected["reasoning"] or expected["tool_calls"] or expected["usage"])
                check_error(error, expected["error"], answering=begun)


def test_what_was_understood_is_understood_again_from_the_records() -> None:
    for path in streams():
        told = json.loads(path.with_suffix(".json").read_text())
        reading, error = understood(told["wire"], [path.read_bytes()], aborted=told["ending"] == "abort")
        if error is None:
            again: Completion = read_again(reading.stream, WIRES[told["wire"]].decoder(), None)

            assert again == reading.completion(), path.stem
