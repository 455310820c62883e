"""Reads the stream of OpenAI's Responses API: events from `response.created` to `response.completed`, one object each.

Every event has a `type`; unknown ones are ignored, as the API adds some at any time. Items are joined by the ids and
places that events name, where a server sends them: llama.cpp sends neither places nor the ids of calls, gateways leave
out pieces and send what is done alone. So what is done adds what no piece held.
"""

from typing import TypedDict

import orjson

from suts.failures import failure
from suts.sut import Event, Finish, ReasoningDelta, TextDelta, Usage
from suts.wires.charge import charge_usd
from suts.wires.decoder import SseDecoder
from suts.wires.fields import call_arguments, call_index, count, members, text, text_or_none
from suts.wires.response_items import CALLS, ResponseCalls, Stated

# Room for the end marker of gateways, with white space around it; an event is longer.
_MARKER_ROOM = 32
_REASONING = frozenset({"response.reasoning_summary_text.delta", "response.reasoning_text.delta"})
_PIECES = frozenset({"response.function_call_arguments.delta", "response.custom_tool_call_input.delta"})
_WHOLE = {
    "response.function_call_arguments.done": "arguments",
    "response.custom_tool_call_input.done": "input",
}
_FAILED = frozenset({"response.failed", "response.cancelled"})


class OpenAiResponsesWire:
    """The wire `openai-responses`."""

    name = "openai-responses"

    def decoder(self) -> SseDecoder:
        """Begin a stream."""
        return SseDecoder(_Reader)


class _Reader:
    """One response being read."""

    __slots__ = ("_calls", "_model", "_provider", "_thoughts", "_written", "ended", "finished")

    def __init__(self) -> None:
        self.ended = False
        self.finished = False
        self._model: str | None = None
        self._provider: str | None = None
        self._written = Stated()
        self._thoughts = Stated()
        self._calls = ResponseCalls()

    def read(self, payload: bytes, at_ns: int, events: list[Event]) -> None:
        if len(payload) < _MARKER_ROOM and payload.strip() == b"[DONE]":
            self.ended = True
            events.append(Finish(at_ns, None, self._model, self._provider))
            return
        event: _Event = orjson.loads(payload)
        kind = event.get("type")
        if kind == "response.output_text.delta":
            written = event["delta"]
            if written and type(written) is str:
                self._written.parts.append(written)
                events.append(TextDelta(at_ns, written))
            else:
                text(written)
        elif kind in _PIECES:
            arguments = text(event["delta"])
            self._calls.write(_place(event), text(event.get("item_id")), arguments, at_ns, events)
        elif kind in _REASONING:
            self._think(text(event["delta"]), at_ns, events)
        else:
            self._read_other(text(kind), event, at_ns, events)

    def _read_other(self, kind: str, event: "_Event", at_ns: int, events: list[Event]) -> None:
        match kind:
            case "response.refusal.delta":
                self._write(text(event["delta"]), at_ns, events)
            case "response.output_item.added":
                item = event["item"]
                if text(item.get("type")) in CALLS:
                    self._calls.open(_place(event), item, at_ns, events)
            case "response.output_item.done":
                self._take_item(_place(event), event["item"], at_ns, events)
            case "response.output_text.done" | "response.refusal.done":
                self._rest(text(event.get("text")) or text(event.get("refusal")), at_ns, events)
            case "response.completed" | "response.incomplete":
                self._end(members(event.get("response")), at_ns, events)
            case "error":
                raise failure(event.get("error") or event)
            case _:
                self._read_rare(kind, event, at_ns, events)

    def _read_rare(self, kind: str, event: "_Event", at_ns: int, events: list[Event]) -> None:
        if kind in _WHOLE:
            whole = call_arguments(event.get(_WHOLE[kind]))
            self._calls.complete(_place(event), text(event.get("item_id")), whole, at_ns, events)
        elif kind in _FAILED:
            response = members(event.get("response"))
            self._take_response(response, at_ns, events)
            raise failure(response.get("error") or f"the response ended as {kind.removeprefix('response.')}")
        elif kind in {"response.created", "response.in_progress"}:
            self._take_response(members(event.get("response")), at_ns, events)
        elif not kind and (error := event.get("error")):
            raise failure(error)

    def _served(self, response: dict[str, object]) -> None:
        self._model = text_or_none(response.get("model")) or self._model
        self._provider = text_or_none(response.get("provider")) or self._provider

    def _end(self, response: dict[str, object], at_ns: int, events: list[Event]) -> None:
        """Read the last event; a response that is incomplete says why."""
        output = response.get("output")
        for place, item in enumerate(output if isinstance(output, list) else ()):
            # A server that sends this event alone has all items here; others repeat them.
            if not (self._calls and text(item.get("type")) in CALLS):
                self._take_item(place, item, at_ns, events)
        self._take_response(response, at_ns, events)
        self._calls.close(at_ns, events)
        status = text(response.get("status"))
        reason = text(members(response.get("incomplete_details")).get("reason"))
        self.ended = self.finished = True
        finish = (reason or status) if status == "incomplete" else "completed"
        events.append(Finish(at_ns, finish, self._model, self._provider))

    def _take_response(self, response: dict[str, object], at_ns: int, events: list[Event]) -> None:
        self._served(response)
        if usage := members(response.get("usage")):
            events.append(_usage(usage, at_ns))

    def _take_item(self, place: int | None, item: "_Item", at_ns: int, events: list[Event]) -> None:
        """Read a whole item: what its pieces did not state is stated now."""
        kind = text(item.get("type"))
        if kind in CALLS:
            self._calls.finish(place, item, at_ns, events)
        elif kind == "message":
            for part in item.get("content") or ():
                self._rest(text(part.get("text")) or text(part.get("refusal")), at_ns, events)
        elif kind == "reasoning":
            for part in (*(item.get("summary") or ()), *(item.get("content") or ())):
                if (thought := text(part.get("text"))) and self._thoughts.lacks(thought):
                    self._think(thought, at_ns, events)

    def _rest(self, whole: str, at_ns: int, events: list[Event]) -> None:
        if whole and self._written.lacks(whole):
            self._write(whole, at_ns, events)

    def _write(self, written: str, at_ns: int, events: list[Event]) -> None:
        if written:
            self._written.parts.append(written)
            events.append(TextDelta(at_ns, written))

    def _think(self, thought: str, at_ns: int, events: list[Event]) -> None:
        if thought:
            self._thoughts.parts.append(thought)
            events.append(ReasoningDelta(at_ns, thought))


def _place(event: "_Event") -> int | None:
    return call_index(event.get("output_index"))


def _usage(usage: dict[str, object], at_ns: int) -> Usage:
    """Return four disjoint classes of tokens: what `usage` counts as input includes what the cache had or got."""
    details = members(usage.get("input_tokens_details"))
    read, written = count(details.get("cached_tokens")), count(details.get("cache_write_tokens"))
    prompt = count(usage.get("input_tokens"))
    return Usage(
        at_ns,
        input_tokens=None if prompt is None else max(0, prompt - (read or 0) - (written or 0)),
        cache_read_tokens=read,
        cache_write_tokens=written,
        output_tokens=count(usage.get("output_tokens")),
        reasoning_tokens=count(members(usage.get("output_tokens_details")).get("reasoning_tokens")),
        cost_usd=charge_usd(usage),
    )


class _Part(TypedDict, total=False):
    type: str
    text: str | None
    refusal: str | None


class _Item(TypedDict, total=False):
    type: str
    id: str | None
    call_id: str | None
    name: str | None
    arguments: object
    input: object
    operation: object
    content: list[_Part] | None
    summary: list[_Part] | None


class _Event(TypedDict, total=False):
    type: str | None
    output_index: object
    item_id: str | None
    delta: str
    text: str | None
    refusal: str | None
    arguments: object
    input: object
    item: _Item
    response: object
    error: object
