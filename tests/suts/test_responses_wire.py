"""The Responses wire beyond the example streams: what servers leave out, repeat, or send at once."""

import orjson
import pytest

from suts.failures import failure
from suts.sut import ErrorKind, Finish, Received, SutError, TextDelta, ToolCallDelta, Usage
from suts.wires import WIRES
from suts.wires.tool_calls import ToolCall, ToolCalls
from tests.suts.reading import Reading, read

WIRE = WIRES["openai-responses"]
CALL = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "edit"}
TEXT = {"type": "message", "id": "msg_1", "content": [{"type": "output_text", "text": "Done."}]}
COMPLETED = {"type": "response.completed", "response": {"status": "completed", "model": "m"}}


def stream(*events: object) -> bytes:
    return b"".join(b"event: x\ndata: " + orjson.dumps(event) + b"\n\n" for event in events)


def answer(*events: object) -> Reading:
    return read(WIRE, [stream(*events)])


def calls(*events: object) -> tuple[ToolCall, ...]:
    found = ToolCalls()
    for event in WIRE.decoder().feed(Received(0, stream(*events))):
        if isinstance(event, ToolCallDelta):
            found.add(event)
    return found.whole()


def added(item: object, place: int = 0) -> dict[str, object]:
    return {"type": "response.output_item.added", "output_index": place, "item": item}


def done(item: object, place: int = 0) -> dict[str, object]:
    return {"type": "response.output_item.done", "output_index": place, "item": item}


def piece(text: str, **named: object) -> dict[str, object]:
    return {"type": "response.function_call_arguments.delta", "delta": text, **named}


@pytest.mark.parametrize(
    "events",
    [
        pytest.param([added(CALL), piece('{"a":', output_index=0), piece("1}", output_index=0)], id="by place"),
        pytest.param([added(CALL), piece('{"a":', item_id="fc_1"), piece("1}", item_id="fc_1")], id="by item"),
        pytest.param([added(CALL), piece('{"a":1}')], id="by neither"),
        pytest.param([added(CALL), piece('{"a"', item_id="fc_1"), done(CALL | {"arguments": '{"a":1}'})], id="rest"),
        pytest.param([added(CALL | {"arguments": '{"a":1}'}), COMPLETED], id="in the opening"),
        pytest.param([added(CALL), done(CALL | {"arguments": {"a": 1}})], id="an object"),
        pytest.param([done(CALL | {"arguments": '{"a":1}'})], id="done alone"),
        pytest.param(
            [{"type": "response.completed", "response": {"output": [CALL | {"arguments": '{"a":1}'}]}}],
            id="the last event alone",
        ),
    ],
)
def test_a_call_is_read_however_much_of_it_a_server_says(events: list[object]) -> None:
    assert calls(*events) == (ToolCall("call_1", "edit", '{"a":1}'),)


def test_calls_that_share_a_place_are_told_apart_by_their_items() -> None:
    other = CALL | {"id": "fc_2", "call_id": "call_2", "name": "look"}

    found = calls(
        *(added(CALL), piece('{"a"', item_id="fc_1"), added(other), piece("{}", item_id="fc_2")),
        *(piece(":1}", item_id="fc_1"), done(CALL | {"arguments": '{"a":1}'}), done(other | {"arguments": "{}"})),
    )

    assert found == (ToolCall("call_1", "edit", '{"a":1}'), ToolCall("call_2", "look", "{}"))


def test_the_built_in_patch_tool_is_called_with_its_operation() -> None:
    operation = {"type": "update_file", "path": "a.py", "diff": "@@\n-x\n+y"}

    (found,) = calls(done({"type": "apply_patch_call", "call_id": "call_p", "operation": operation}))

    assert (found.id, found.name) == ("call_p", "apply_patch")
    assert orjson.loads(found.arguments) == operation


def test_text_that_no_piece_said_is_read_once() -> None:
    part = {"type": "response.output_text.done", "text": "Done."}

    assert answer(part, done(TEXT), COMPLETED).text == "Done."
    assert answer({"type": "response.completed", "response": {"output": [TEXT]}}).text == "Done."


@pytest.mark.parametrize("status,reason,finish", [
    ("completed", None, "completed"),
    ("incomplete", {"reason": "max_output_tokens"}, "max_output_tokens"),
    ("incomplete", {"reason": "content_filter"}, "content_filter"),
    ("incomplete", None, "incomplete"),
])  # fmt: skip
def test_the_end_says_why_it_came(status: str, reason: object, finish: str) -> None:
    response = {"status": status, "incomplete_details": reason, "model": "m"}

    read_again = answer({"type": f"response.{status}", "response": response})

    assert read_again.finishes == [Finish(0, finish, "m")]


def test_input_is_counted_without_what_the_cache_had_or_got() -> None:
    usage = {
        "input_tokens": 100,
        "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 30},
        "output_tokens": 20,
        "output_tokens_details": {"reasoning_tokens": 15},
    }

    found = answer({"type": "response.completed", "response": {"usage": usage}}).usage

    assert found == Usage(0, 10, 60, 30, 20, 15)


@pytest.mark.parametrize("code,kind,retryable", [
    ("server_error", ErrorKind.SERVER, True),
    ("rate_limit_exceeded", ErrorKind.RATE_LIMIT, True),
    ("invalid_prompt", ErrorKind.BAD_REQUEST, False),
    ("bio_policy", ErrorKind.BAD_REQUEST, False),
    ("misalignment_policy_violation", ErrorKind.BAD_REQUEST, False),
    ("image_too_large", ErrorKind.BAD_REQUEST, False),
    ("failed_to_download_image", ErrorKind.BAD_REQUEST, False),
])  # fmt: skip
@pytest.mark.parametrize("form", ["failed", "error", "error object"])
def test_an_error_in_the_stream_is_judged_by_its_code(code: str, kind: ErrorKind, retryable: bool, form: str) -> None:
    error = {"code": code, "message": "no"}
    events: dict[str, dict[str, object]] = {
        "failed": {"type": "response.failed", "response": {"status": "failed", "error": error}},
        "error": {"type": "error", **error},
        "error object": {"type": "error", "error": error},
    }

    with pytest.raises(SutError) as caught:
        answer({"type": "response.created", "response": {}}, events[form])

    assert (caught.value.kind, caught.value.retryable) == (kind, retryable)


def test_what_came_before_an_error_still_counts() -> None:
    delta = {"type": "response.output_text.delta", "delta": "Half"}

    events = iter(WIRE.decoder().feed(Received(0, stream(delta, {"type": "error", "message": "no"}))))

    assert next(events) == TextDelta(0, "Half")
    with pytest.raises(SutError):
        next(events)


def test_a_word_for_images_does_not_make_other_words_one() -> None:
    assert failure({"code": "imagery_down", "message": "x"}).kind is ErrorKind.SERVER
