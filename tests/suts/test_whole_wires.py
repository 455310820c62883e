"""Answers in one JSON object, as batches deliver them: read as the streams that would have said the same."""

from collections.abc import Iterable

import orjson
import pytest

from parsers import PARSERS
from runner.records import Clocks, Completion
from runner.storage.streams import read_again
from suts.simulated.answer import AnswerRequest, answer
from suts.simulated.spec import WireName, parse_spec
from suts.sut import ErrorKind, Received, SutError, Truth
from suts.wires import WIRES
from tests.suts.simulated.asked_server import TRUTHS, wires

TRUTH = TRUTHS["Change beta."]
MODELS = ("any", "any?reasoning=40", "wrong", "empty")


def read(wire: str, pieces: Iterable[bytes]) -> Completion:
    """What is read of these pieces, without times; the raw pieces are left out."""
    arrived = [Received(0, piece) for piece in pieces]
    completion = read_again([*arrived, Received(0, b"")], WIRES[wire].decoder(), PARSERS["xml-tools-v2"].start())
    return Completion(
        completion.text,
        completion.reasoning,
        Clocks(),
        completion.tokens,
        completion.finish_reason,
        served_model=completion.served_model,
        note=completion.note,
    )


def sent(model: str, wire: WireName, truth: Truth = TRUTH, *, stream: bool, native: bool = False) -> tuple[bytes, ...]:
    """The bytes that a simulated model answers with."""
    spec = parse_spec(model, f"wire={wire}")
    return answer(spec, AnswerRequest(truth, 100, 1000, stream=stream, native=native)).frames


@wires
@pytest.mark.parametrize("native", [False, True], ids=["text", "native"])
@pytest.mark.parametrize("model", MODELS)
def test_a_whole_answer_says_what_its_stream_would_have_said(wire: WireName, model: str, *, native: bool) -> None:
    streamed = read(wire, sent(model, wire, stream=True, native=native))
    whole = read(f"{wire}-batch", sent(model, wire, stream=False, native=native))

    assert whole == streamed
    assert whole.tokens.output is not None
    assert whole.note is None


@wires
def test_an_object_may_be_cut_anywhere(wire: WireName) -> None:
    (body,) = sent("any", wire, stream=False)
    whole = read(f"{wire}-batch", [body])

    assert all(read(f"{wire}-batch", [body[:cut], body[cut:]]) == whole for cut in range(1, len(body), 9))


@wires
def test_an_object_without_an_end_is_cut(wire: WireName) -> None:
    (body,) = sent("any", wire, stream=False)

    with pytest.raises(SutError) as ended:
        read(f"{wire}-batch", [body[:-3]])

    assert ended.value.kind is ErrorKind.CUT


ERRORS = {
    "openai-chat": {"error": {"message": "sorry", "type": "server_error"}},
    "openai-responses": {
        "id": "r",
        "status": "failed",
        "error": {"code": "server_error", "message": "sorry"},
        "output": [],
    },
    "anthropic-messages": {"type": "error", "error": {"type": "api_error", "message": "sorry"}},
}


@wires
def test_an_error_object_is_that_error(wire: WireName) -> None:
    with pytest.raises(SutError, match="sorry") as ended:
        read(f"{wire}-batch", [orjson.dumps(ERRORS[wire])])

    assert ended.value.kind is ErrorKind.SERVER


@wires
@pytest.mark.parametrize("body", [b'{"choices":[7]}', b'{"content":[7]}', b'{"output":[7]}', b'{"a":1}', b"[1]", b"{}"])
def test_an_object_of_another_kind_is_an_error_of_the_wire(wire: WireName, body: bytes) -> None:
    with pytest.raises(SutError) as ended:
        read(f"{wire}-batch", [body])

    assert ended.value.kind in {ErrorKind.MALFORMED, ErrorKind.CUT}
