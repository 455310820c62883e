"""Writes an answer in a provider's format: the opposite of the wires, as servers of that format send it.

Formats: OpenAI's chat and text completions with `stream_options.include_usage` and Anthropic's messages, both as
server-sent events; `openrouter` adds what that gateway adds, `llamacpp` its timings; and llama.cpp's `/infill`.
`created` is one fixed date, so that equal attempts give equal bytes.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import orjson

from suts.simulated.encode_responses import response_frames, response_whole
from suts.simulated.envelope import CREATED, Envelope, data, event
from suts.simulated.google_forms import google_error, google_frames, google_whole
from suts.simulated.llamacpp import infill_chunks, timings
from suts.simulated.pace import Piece
from suts.simulated.spec import WireName
from suts.simulated.usage import Counted

DONE: Final = b"data: [DONE]\n\n"
_STOP_REASONS: Final = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}
_SIGNATURE: Final = "c2ltdWxhdGVk"
# The kind of a block's deltas on Anthropic's wire, and the field that holds the piece.
_DELTAS: Final = {
    "text": (b"text_delta", b"text"),
    "thinking": (b"thinking_delta", b"thinking"),
    "tool_use": (b"input_json_delta", b"partial_json"),
}
_UPSTREAM: Final = "Simulated"
_UNSTORABLE: Final = 2**64 - 1


def frames(pieces: Sequence[Piece], envelope: Envelope) -> list[bytes]:
    """Return the events of a stream: one entry per piece, the first with the opening, and one that ends the stream."""
    if envelope.wire == "anthropic-messages":
        return _anthropic_frames(pieces, envelope)
    if envelope.wire == "openai-responses":
        return response_frames(pieces, envelope)
    if envelope.wire == "google-generate":
        return google_frames(pieces, envelope)
    if envelope.wire == "openai-text":
        return _text_frames(pieces, envelope)
    if envelope.wire == "llamacpp-infill" and envelope.usage is not None:
        return [*map(data, infill_chunks(pieces, envelope.model, envelope.finish_reason, envelope.usage))]
    return _openai_frames(pieces, envelope)


def whole(pieces: Sequence[Piece], envelope: Envelope) -> bytes:
    """Return the JSON answer to a request that wants no stream."""
    if envelope.wire == "openai-responses":
        return response_whole(pieces, envelope)
    if envelope.wire == "google-generate":
        return google_whole(pieces, envelope)
    text, reasoning = _joined(pieces), _joined(pieces, reasoning=True)
    if envelope.wire == "anthropic-messages":
        return _whole_message(pieces, envelope, text, reasoning)
    usage = {"usage": _openai_usage(envelope, envelope.usage)} if envelope.usage else {}
    if envelope.wire == "openai-text":
        text_choice = {"index": 0, "text": text, "logprobs": None, "finish_reason": envelope.finish_reason}
        return orjson.dumps(_chunk(envelope, "text_completion") | {"choices": [text_choice]} | usage)
    message: dict[str, object] = {"role": "assistant", "content": text, "refusal": None}
    if envelope.calls:
        calls = [_function(envelope, call, _joined(pieces, call)) for call in range(len(envelope.calls))]
        message |= {"content": text or None, "tool_calls": calls}
    if reasoning:
        message[_reasoning_name(envelope)] = reasoning
    choice = {"index": envelope.choice, "message": message, "logprobs": None, "finish_reason": envelope.reason}
    body = _chunk(envelope, "chat.completion") | {"choices": [choice]}
    return orjson.dumps(body | usage)


def _whole_message(pieces: Sequence[Piece], envelope: Envelope, text: str, reasoning: str) -> bytes:
    blocks: list[object] = [_text(text)] if text or not envelope.calls else []
    for call in range(len(envelope.calls)):
        try:
            values: object = orjson.loads(_joined(pieces, call))
        except orjson.JSONDecodeError:
            # Cut or broken: the vendor's field is an object.
            values = {}
        blocks.append(_tool_use(envelope, call, values))
    if reasoning:
        blocks.insert(0, {"type": "thinking", "thinking": reasoning, "signature": _SIGNATURE})
    stop = _STOP_REASONS[envelope.reason]
    return orjson.dumps(_message(envelope) | {"content": blocks, "stop_reason": stop})


def _joined(pieces: Sequence[Piece], call: int = -1, *, reasoning: bool = False) -> str:
    return "".join(piece.text for piece in pieces if piece.reasoning is reasoning and piece.call == call)


def error_frame(wire: WireName) -> bytes:
    """Return an error object in the middle of a stream."""
    message = "the simulated upstream broke off"
    if wire == "anthropic-messages":
        error = {"type": "error", "error": {"type": "api_error", "message": message}}
        return event("error", error)
    if wire == "openai-responses":
        return event("error", {"type": "error", "code": "server_error", "message": message, "param": None})
    if wire == "google-generate":
        return data(google_error(500, message))
    choice = {"index": 0, "delta": {"content": ""}, "finish_reason": "error"}
    return data({"error": {"code": 502, "message": message}, "choices": [choice]})


def broken_frame(wire: WireName) -> bytes:
    """Return a chunk whose JSON stops in the middle of a string."""
    if wire == "anthropic-messages":
        return b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"ty\n\n'
    if wire == "openai-responses":
        return b'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","del\n\n'
    if wire == "google-generate":
        return b'data: {"candidates":[{"content":{"pa\n\n'
    return b'data: {"id":"chatcmpl-sim","object":"chat.completion.chunk","choices":[{"ind\n\n'


def odd_frame(wire: WireName) -> bytes:
    """Return a chunk that is valid JSON, with a number of tokens that no column of integers can hold."""
    if wire == "anthropic-messages":
        usage = {"output_tokens": _UNSTORABLE}
        return event("message_delta", {"type": "message_delta", "delta": {"stop_reason": None}, "usage": usage})
    if wire == "openai-responses":
        response = {"usage": {"output_tokens": _UNSTORABLE}}
        return event("response.in_progress", {"type": "response.in_progress", "response": response})
    if wire == "google-generate":
        return data({"usageMetadata": {"candidatesTokenCount": _UNSTORABLE}})
    return data({"choices": [], "usage": {"completion_tokens": _UNSTORABLE}})


def _chunk(envelope: Envelope, kind: str) -> dict[str, object]:
    body: dict[str, object] = {
        "id": f"chatcmpl-sim{envelope.token}",
        "object": kind,
        "created": CREATED,
        "model": envelope.model,
    }
    if envelope.flavour == "openrouter":
        body["provider"] = _UPSTREAM
    return body


def _function(envelope: Envelope, call: int, arguments: str) -> dict[str, object]:
    """Return a call in OpenAI's form."""
    function = {"name": envelope.calls[call], "arguments": arguments}
    return {"id": envelope.call_id(call), "type": "function", "function": function}


def _tool_use(envelope: Envelope, call: int, arguments: object) -> dict[str, object]:
    """Return a call in Anthropic's form."""
    return {"type": "tool_use", "id": envelope.call_id(call), "name": envelope.calls[call], "input": arguments}


def _text(text: str) -> dict[str, object]:
    return {"type": "text", "text": text}


def _reasoning_name(envelope: Envelope) -> str:
    return "reasoning" if envelope.flavour == "openrouter" else "reasoning_content"


def _openai_frames(pieces: Sequence[Piece], envelope: Envelope) -> list[bytes]:
    base = _chunk(envelope, "chat.completion.chunk")
    # All chunks of an answer share their head: only the text is encoded for each.
    head = b"data: " + orjson.dumps(base)[:-1] + b',"choices":[{"index":%d,"delta":{"' % envelope.choice
    reasoning = head + _reasoning_name(envelope).encode() + b'":'
    content = head + b'content":'
    tail = b'},"finish_reason":null}]}\n\n'
    opened = -1
    out: list[bytes] = []
    for piece in pieces:
        text, call = orjson.dumps(piece.text), piece.call
        if call >= 0:
            begun = b"" if call == opened else head + b'tool_calls":[%b]' % _begun(envelope, call) + tail
            opened = call
            part = b'tool_calls":[{"index":%d,"function":{"arguments":%b}}]' % (call, text)
            out.append(begun + head + part + tail)
        else:
            out.append((reasoning if piece.reasoning else content) + text + tail)
    role = b'role":"assistant","content":' + (b"null" if envelope.calls else b'""')
    out[0] = head + role + tail + out[0]
    end = data(base | {"choices": [{"index": envelope.choice, "delta": {}, "finish_reason": envelope.reason}]})
    if envelope.usage is not None:
        end += data(base | {"choices": []} | _usage_fields(envelope, envelope.usage))
    return [*out, end + DONE]


def _begun(envelope: Envelope, call: int) -> bytes:
    return orjson.dumps({"index": call} | _function(envelope, call, ""))


def _text_frames(pieces: Sequence[Piece], envelope: Envelope) -> list[bytes]:
    """Text completions show no reasoning."""
    base = _chunk(envelope, "text_completion")

    def choice(text: str, reason: str | None) -> bytes:
        choice_data = {"index": 0, "text": text, "logprobs": None, "finish_reason": reason}
        return data(base | {"choices": [choice_data]})

    out = [b"" if piece.reasoning else choice(piece.text, None) for piece in pieces]
    end = choice("", envelope.finish_reason)
    if envelope.usage is not None:
        end += data(base | {"choices": []} | _usage_fields(envelope, envelope.usage))
    return [*out, end + DONE]


def _usage_fields(envelope: Envelope, usage: Counted) -> dict[str, object]:
    """Return the usage of an answer, with what a flavour adds beside it."""
    own = {"timings": timings(usage)} if envelope.flavour == "llamacpp" else {}
    return {"usage": _openai_usage(envelope, usage), **own}


def _openai_usage(envelope: Envelope, usage: Counted) -> dict[str, object]:
    prompt = usage.input + usage.cache_read + usage.cache_write
    body: dict[str, object] = {
        "prompt_tokens": prompt,
        "completion_tokens": usage.output,
        "total_tokens": prompt + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning, "audio_tokens": 0},
    }
    if envelope.flavour == "openrouter":
        details = {"upstream_inference_cost": usage.cost_usd}
        body |= {"cost": usage.cost_usd, "is_byok": False, "cost_details": details}
    return body


def _anthropic_frames(pieces: Sequence[Piece], envelope: Envelope) -> list[bytes]:
    out: list[bytes] = []
    index, kind, opened = -1, "", -1
    for piece in pieces:
        frame = b""
        needed = "thinking" if piece.reasoning else "tool_use" if piece.call >= 0 else "text"
        if (needed, piece.call) != (kind, opened):
            frame = _close_block(index, kind) + _open_block(index + 1, needed, piece.call, envelope)
            index, kind, opened = index + 1, needed, piece.call
        head = b'event: content_block_delta\ndata: {"type":"content_block_delta","index":%d,"delta":' % index
        delta = b'{"type":"%b","%b":%b}}\n\n' % (*_DELTAS[kind], orjson.dumps(piece.text))
        out.append(frame + head + delta)
    start = _message(envelope) | {"content": [], "stop_reason": None}
    begun = envelope.usage and replace(envelope.usage, output=1, reasoning=0)
    start["usage"] = _anthropic_usage(begun)
    out[0] = event("message_start", {"type": "message_start", "message": start}) + out[0]
    stop = {"stop_reason": _STOP_REASONS[envelope.reason], "stop_sequence": None}
    end = event("message_delta", {"type": "message_delta", "delta": stop, "usage": _anthropic_usage(envelope.usage)})
    return [*out, _close_block(index, kind) + end + event("message_stop", {"type": "message_stop"})]


def _open_block(index: int, kind: str, call: int, envelope: Envelope) -> bytes:
    if kind == "tool_use":
        block = _tool_use(envelope, call, {})
    else:
        block = _text("") if kind == "text" else {"type": kind, kind: "", "signature": ""}
    opened = event("content_block_start", {"type": "content_block_start", "index": index, "content_block": block})
    return opened + (event("ping", {"type": "ping"}) if index == 0 else b"")


def _close_block(index: int, kind: str) -> bytes:
    if not kind:
        return b""
    closed = event("content_block_stop", {"type": "content_block_stop", "index": index})
    if kind != "thinking":
        return closed
    signature = {"type": "signature_delta", "signature": _SIGNATURE}
    return event("content_block_delta", {"type": "content_block_delta", "index": index, "delta": signature}) + closed


def _message(envelope: Envelope) -> dict[str, object]:
    return {
        "id": f"msg_sim{envelope.token}",
        "type": "message",
        "role": "assistant",
        "model": envelope.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": _anthropic_usage(envelope.usage),
    }


def _anthropic_usage(usage: Counted | None) -> dict[str, object]:
    if usage is None:
        return {"input_tokens": 0, "output_tokens": 0}
    return {
        "input_tokens": usage.input,
        "cache_creation_input_tokens": usage.cache_write,
        "cache_read_input_tokens": usage.cache_read,
        "output_tokens": usage.output,
        "output_tokens_details": {"thinking_tokens": usage.reasoning},
    }
