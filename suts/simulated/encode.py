"""Writes an answer in a provider's format: the opposite of the wires, as servers of that format send it.

Formats: OpenAI's chat and text completions with `stream_options.include_usage` and Anthropic's messages, both as
server-sent events; `openrouter` adds what that gateway adds, `llamacpp` its timings; and llama.cpp's `/infill`.
`created` is one fixed date, so that equal attempts give equal bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import orjson

from suts.simulated.llamacpp import infill_chunks, timings
from suts.simulated.pace import Piece
from suts.simulated.spec import Flavour, WireName
from suts.simulated.tool_choice import ForcedCall
from suts.simulated.usage import Counted

CREATED: Final = 1_767_225_600
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


@dataclass(frozen=True, slots=True)
class Envelope:
    """What surrounds the text of an answer; `token` makes its id, `usage` None leaves the usage chunk out.

    With `call` the answer is a tool call; `choice` is its index among the choices of one response.
    """

    token: str
    model: str
    finish_reason: str
    usage: Counted | None
    wire: WireName = "openai-chat"
    flavour: Flavour = "openai"
    call: ForcedCall | None = None
    choice: int = 0

    @property
    def reason(self) -> str:
        """Why the answer ended: a call of a tool has a reason of its own."""
        return "tool_calls" if self.call and self.finish_reason == "stop" else self.finish_reason

    @property
    def call_id(self) -> str:
        """The id of the tool call."""
        return f"{'toolu' if self.wire == 'anthropic-messages' else 'call'}_sim{self.token}{self.choice or ''}"


def frames(pieces: Sequence[Piece], envelope: Envelope) -> list[bytes]:
    """Return the events of a stream: one entry per piece, the first with the opening, and one that ends the stream."""
    if envelope.call:
        pieces = envelope.call.arguments(pieces)
    if envelope.wire == "anthropic-messages":
        return _anthropic_frames(pieces, envelope)
    if envelope.wire == "openai-text":
        return _text_frames(pieces, envelope)
    if envelope.wire == "llamacpp-infill" and envelope.usage is not None:
        return [*map(_data, infill_chunks(pieces, envelope.model, envelope.finish_reason, envelope.usage))]
    return _openai_frames(pieces, envelope)


def whole(pieces: Sequence[Piece], envelope: Envelope) -> bytes:
    """Return the JSON answer to a request that wants no stream."""
    if envelope.call:
        pieces = envelope.call.arguments(pieces)
    text = "".join(piece.text for piece in pieces if not piece.reasoning)
    reasoning = "".join(piece.text for piece in pieces if piece.reasoning)
    if envelope.wire == "anthropic-messages":
        blocks: list[object] = [_tool_use(envelope, orjson.loads(text)) if envelope.call else _text(text)]
        if reasoning:
            blocks.insert(0, {"type": "thinking", "thinking": reasoning, "signature": _SIGNATURE})
        stop = _STOP_REASONS[envelope.reason]
        return orjson.dumps(_message(envelope) | {"content": blocks, "stop_reason": stop})
    usage = {"usage": _openai_usage(envelope, envelope.usage)} if envelope.usage else {}
    if envelope.wire == "openai-text":
        text_choice = {"index": 0, "text": text, "logprobs": None, "finish_reason": envelope.finish_reason}
        return orjson.dumps(_chunk(envelope, "text_completion") | {"choices": [text_choice]} | usage)
    message: dict[str, object] = {"role": "assistant", "content": text, "refusal": None}
    if envelope.call:
        message |= {"content": None, "tool_calls": [_function(envelope, text)]}
    if reasoning:
        message[_reasoning_name(envelope)] = reasoning
    choice = {"index": envelope.choice, "message": message, "logprobs": None, "finish_reason": envelope.reason}
    body = _chunk(envelope, "chat.completion") | {"choices": [choice]}
    return orjson.dumps(body | usage)


def error_frame(wire: WireName) -> bytes:
    """Return an error object in the middle of a stream."""
    message = "the simulated upstream broke off"
    if wire == "anthropic-messages":
        error = {"type": "error", "error": {"type": "api_error", "message": message}}
        return _event("error", error)
    choice = {"index": 0, "delta": {"content": ""}, "finish_reason": "error"}
    return _data({"error": {"code": 502, "message": message}, "choices": [choice]})


def broken_frame(wire: WireName) -> bytes:
    """Return a chunk whose JSON stops in the middle of a string."""
    if wire == "anthropic-messages":
        return b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"ty\n\n'
    return b'data: {"id":"chatcmpl-sim","object":"chat.completion.chunk","choices":[{"ind\n\n'


def odd_frame(wire: WireName) -> bytes:
    """Return a chunk that is valid JSON, with a number of tokens that no column of integers can hold."""
    if wire == "anthropic-messages":
        usage = {"output_tokens": _UNSTORABLE}
        return _event("message_delta", {"type": "message_delta", "delta": {"stop_reason": None}, "usage": usage})
    return _data({"choices": [], "usage": {"completion_tokens": _UNSTORABLE}})


def _data(body: object) -> bytes:
    return b"data: " + orjson.dumps(body) + b"\n\n"


def _event(name: str, body: object) -> bytes:
    return b"event: " + name.encode() + b"\n" + _data(body)


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


def _function(envelope: Envelope, arguments: str) -> dict[str, object]:
    """Return a call in OpenAI's form."""
    name = envelope.call.name if envelope.call else ""
    return {"id": envelope.call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _tool_use(envelope: Envelope, arguments: object) -> dict[str, object]:
    """Return a call in Anthropic's form."""
    name = envelope.call.name if envelope.call else ""
    return {"type": "tool_use", "id": envelope.call_id, "name": name, "input": arguments}


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
    opening, close = b'role":"assistant","content":""', b""
    if envelope.call:
        content, close = head + b'tool_calls":[{"index":0,"function":{"arguments":', b"}}]"
        begun = orjson.dumps({"index": 0} | _function(envelope, ""))
        opening = b'role":"assistant","content":null,"tool_calls":[%b]' % begun
    out = [
        reasoning + orjson.dumps(piece.text) + tail
        if piece.reasoning
        else content + orjson.dumps(piece.text) + close + tail
        for piece in pieces
    ]
    out[0] = head + opening + tail + out[0]
    end = _data(base | {"choices": [{"index": envelope.choice, "delta": {}, "finish_reason": envelope.reason}]})
    if envelope.usage is not None:
        end += _data(base | {"choices": []} | _usage_fields(envelope, envelope.usage))
    return [*out, end + DONE]


def _text_frames(pieces: Sequence[Piece], envelope: Envelope) -> list[bytes]:
    """Text completions show no reasoning."""
    base = _chunk(envelope, "text_completion")

    def choice(text: str, reason: str | None) -> bytes:
        choice_data = {"index": 0, "text": text, "logprobs": None, "finish_reason": reason}
        return _data(base | {"choices": [choice_data]})

    out = [b"" if piece.reasoning else choice(piece.text, None) for piece in pieces]
    end = choice("", envelope.finish_reason)
    if envelope.usage is not None:
        end += _data(base | {"choices": []} | _usage_fields(envelope, envelope.usage))
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
    index, kind = -1, ""
    for piece in pieces:
        frame = b""
        needed = "thinking" if piece.reasoning else "tool_use" if envelope.call else "text"
        if needed != kind:
            frame = _close_block(index, kind) + _open_block(index + 1, needed, envelope)
            index, kind = index + 1, needed
        head = b'event: content_block_delta\ndata: {"type":"content_block_delta","index":%d,"delta":' % index
        delta = b'{"type":"%b","%b":%b}}\n\n' % (*_DELTAS[kind], orjson.dumps(piece.text))
        out.append(frame + head + delta)
    start = _message(envelope) | {"content": [], "stop_reason": None}
    begun = envelope.usage and replace(envelope.usage, output=1, reasoning=0)
    start["usage"] = _anthropic_usage(begun)
    out[0] = _event("message_start", {"type": "message_start", "message": start}) + out[0]
    stop = {"stop_reason": _STOP_REASONS[envelope.reason], "stop_sequence": None}
    end = _event("message_delta", {"type": "message_delta", "delta": stop, "usage": _anthropic_usage(envelope.usage)})
    return [*out, _close_block(index, kind) + end + _event("message_stop", {"type": "message_stop"})]


def _open_block(index: int, kind: str, envelope: Envelope) -> bytes:
    if kind == "tool_use":
        block = _tool_use(envelope, {})
    else:
        block = _text("") if kind == "text" else {"type": kind, kind: "", "signature": ""}
    opened = _event("content_block_start", {"type": "content_block_start", "index": index, "content_block": block})
    return opened + (_event("ping", {"type": "ping"}) if index == 0 else b"")


def _close_block(index: int, kind: str) -> bytes:
    if not kind:
        return b""
    closed = _event("content_block_stop", {"type": "content_block_stop", "index": index})
    if kind != "thinking":
        return closed
    signature = {"type": "signature_delta", "signature": _SIGNATURE}
    return _event("content_block_delta", {"type": "content_block_delta", "index": index, "delta": signature}) + closed


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
