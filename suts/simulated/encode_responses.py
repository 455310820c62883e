"""Writes an answer as OpenAI's Responses API sends it: a stream of events that open and close items, or one object."""

from collections.abc import Iterator, Sequence
from itertools import count, groupby
from typing import Final

import orjson

from suts.simulated.envelope import CREATED, Envelope, event
from suts.simulated.pace import Piece
from suts.simulated.usage import Counted

_LIMITED: Final = {"reason": "max_output_tokens"}
_Object = dict[str, object]


def response_frames(pieces: Sequence[Piece], envelope: Envelope) -> list[bytes]:
    """Return the events of a stream: one entry per piece, the first with the opening, and one that ends the stream."""
    stream = _Stream(envelope)
    begun = _response(envelope, [], "in_progress") | {"usage": None}
    before = stream.write("created", response=begun) + stream.write("in_progress", response=begun)
    out: list[bytes] = []
    items = _items(pieces, envelope)
    for place, (group, item) in enumerate(items):
        before += stream.open(place, item)
        for piece in group:
            out.append(before + stream.delta(place, item, piece.text))
            before = b""
        before = stream.close(place, item)
    status = "incomplete" if _is_cut(envelope) else "completed"
    return [*out, before + stream.write(status, response=_response(envelope, [item for _, item in items], status))]


def response_whole(pieces: Sequence[Piece], envelope: Envelope) -> bytes:
    """Return the JSON answer to a request that wants no stream."""
    status = "incomplete" if _is_cut(envelope) else "completed"
    return orjson.dumps(_response(envelope, [item for _, item in _items(pieces, envelope)], status))


def _is_cut(envelope: Envelope) -> bool:
    return envelope.finish_reason == "length"


def _items(pieces: Sequence[Piece], envelope: Envelope) -> list[tuple[list[Piece], _Object]]:
    """Return the items of the output as they are when done, each with its pieces."""
    groups = [list(group) for _, group in groupby(pieces, key=lambda piece: (piece.reasoning, piece.call))]
    items = [(group, _item(group, envelope)) for group in groups]
    if _is_cut(envelope):
        items[-1][1]["status"] = "incomplete"
    return items


def _item(group: Sequence[Piece], envelope: Envelope) -> _Object:
    text = "".join(piece.text for piece in group)
    if group[0].reasoning:
        return {
            "type": "reasoning",
            "id": f"rs_sim{envelope.token}",
            "summary": [{"type": "summary_text", "text": text}],
        }
    if (call := group[0].call) >= 0:
        call_id = envelope.call_id(call)
        if call in envelope.free:
            own = {"id": f"ctc_{call_id}", "call_id": call_id, "name": envelope.calls[call], "input": text}
            return {"type": "custom_tool_call", "status": "completed", **own}
        own = {"id": f"fc_{call_id}", "call_id": call_id, "name": envelope.calls[call], "arguments": text}
        return {"type": "function_call", "status": "completed", **own}
    return {
        "type": "message",
        "id": f"msg_sim{envelope.token}",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}],
    }


class _Stream:
    """Numbers the events of one stream."""

    def __init__(self, envelope: Envelope) -> None:
        self._numbers: Iterator[int] = count()
        self._envelope = envelope

    def write(self, kind: str, **fields: object) -> bytes:
        name = f"response.{kind}"
        return event(name, {"type": name, **fields, "sequence_number": next(self._numbers)})

    def open(self, place: int, item: _Object) -> bytes:
        kind = item["type"]
        if (filled := _FILLED.get(str(kind))) is not None:
            begun = item | {filled: "", "status": "in_progress"}
            return self.write("output_item.added", output_index=place, item=begun)
        if kind == "reasoning":
            added = self.write("output_item.added", output_index=place, item=item | {"summary": []})
            part = {"type": "summary_text", "text": ""}
            return added + self._part("reasoning_summary_part.added", place, item, summary_index=0, part=part)
        begun = item | {"content": [], "status": "in_progress"}
        added = self.write("output_item.added", output_index=place, item=begun)
        part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}  # type: ignore[dict-item]  # lists
        return added + self._part("content_part.added", place, item, content_index=0, part=part)

    def delta(self, place: int, item: _Object, text: str) -> bytes:
        kind, fields = _DELTAS[str(item["type"])]
        numbers = (place, str(item["id"]).encode(), fields, orjson.dumps(text), next(self._numbers))
        head = b'event: response.%b\ndata: {"type":"response.%b",' % (kind, kind)
        return head + b'"output_index":%d,"item_id":"%b",%b"delta":%b,"sequence_number":%d}\n\n' % numbers

    def close(self, place: int, item: _Object) -> bytes:
        done = b""
        match item:
            case {"type": "function_call", "status": "completed", "arguments": arguments}:
                done = self._part("function_call_arguments.done", place, item, arguments=arguments)
            case {"type": "custom_tool_call", "status": "completed", "input": text}:
                done = self._part("custom_tool_call_input.done", place, item, input=text)
            case {"type": "reasoning", "summary": [{"text": text} as part]}:
                done = self._part("reasoning_summary_text.done", place, item, summary_index=0, text=text)
                done += self._part("reasoning_summary_part.done", place, item, summary_index=0, part=part)
            case {"type": "message", "content": [{"text": text} as part]}:
                done = self._part("output_text.done", place, item, content_index=0, text=text, logprobs=[])
                done += self._part("content_part.done", place, item, content_index=0, part=part)
        return done + self.write("output_item.done", output_index=place, item=item)

    def _part(self, kind: str, place: int, item: _Object, **fields: object) -> bytes:
        return self.write(kind, output_index=place, item_id=item["id"], **fields)


# The event of an item's pieces, and the fields beside them.
_DELTAS: Final = {
    "message": (b"output_text.delta", b'"content_index":0,"logprobs":[],'),
    "reasoning": (b"reasoning_summary_text.delta", b'"summary_index":0,'),
    "function_call": (b"function_call_arguments.delta", b""),
    "custom_tool_call": (b"custom_tool_call_input.delta", b""),
}
# What holds the arguments of a call.
_FILLED: Final = {"function_call": "arguments", "custom_tool_call": "input"}


def _response(envelope: Envelope, output: Sequence[_Object], status: str) -> _Object:
    own: _Object = {"provider": "Simulated"} if envelope.flavour == "openrouter" else {}
    return {
        "id": f"resp_sim{envelope.token}",
        "object": "response",
        "created_at": CREATED,
        "status": status,
        "error": None,
        "incomplete_details": _LIMITED if status == "incomplete" else None,
        "instructions": None,
        "metadata": {},
        "model": envelope.model,
        "output": list(output),
        "parallel_tool_calls": True,
        "store": False,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": _usage(envelope, envelope.usage),
        **own,
    }


def _usage(envelope: Envelope, usage: Counted | None) -> _Object | None:
    if usage is None:
        return None
    prompt = usage.input + usage.cache_read + usage.cache_write
    charge: _Object = {"cost": usage.cost_usd, "is_byok": False} if envelope.flavour == "openrouter" else {}
    return {
        "input_tokens": prompt,
        "input_tokens_details": {"cached_tokens": usage.cache_read, "cache_write_tokens": usage.cache_write},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": prompt + usage.output,
        **charge,
    }
