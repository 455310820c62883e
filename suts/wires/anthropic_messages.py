"""Reads the stream of an Anthropic message: events from `message_start` to `message_stop`, one JSON object each.

Unknown kinds of event or block are ignored: the API may add some at any time.
"""

from typing import TypedDict

import orjson

from suts.failures import failure
from suts.sut import Event, Finish, ReasoningDelta, TextDelta, Usage
from suts.wires.decoder import SseDecoder
from suts.wires.fields import call_arguments, call_index, count, members, text, text_or_none
from suts.wires.tool_calls import CallNumbers


class AnthropicMessagesWire:
    """The wire `anthropic-messages`."""

    name = "anthropic-messages"

    def decoder(self) -> SseDecoder:
        """Begin a stream."""
        return SseDecoder(_Reader)


class _Reader:
    """One message being read. Counts are cumulative, so the last Usage counts, like the last Finish."""

    __slots__ = ("_blocks", "_model", "_usage", "ended", "finished")

    def __init__(self) -> None:
        self.ended = False
        self.finished = False
        self._model: str | None = None
        self._usage = Usage(0)
        self._blocks = _ToolBlocks()

    def read(self, payload: bytes, at_ns: int, events: list[Event]) -> None:
        event: _Event = orjson.loads(payload)
        if event["type"] == "content_block_delta":
            self._write_delta(event["delta"], event, at_ns, events)
        else:
            self._read_other(event, at_ns, events)

    def _read_other(self, event: "_Event", at_ns: int, events: list[Event]) -> None:
        match event["type"]:
            case "content_block_start":
                self._write_start(event["content_block"], event, at_ns, events)
            case "content_block_stop":
                self._blocks.close(call_index(event.get("index")), at_ns, events)
            case "message_start":
                self._model = text_or_none(event["message"].get("model"))
                self._count(event["message"].get("usage"), at_ns, events)
            case "message_delta":
                self._blocks.close_all(at_ns, events)
                self._finish(text(members(event["delta"]).get("stop_reason")), at_ns, events)
                self._count(event.get("usage"), at_ns, events)
            case "message_stop":
                self._stop(at_ns, events)
            case "error":
                raise failure(event["error"])
            case kind:
                text(kind)

    def _write_delta(self, delta: "_Content", event: "_Event", at_ns: int, events: list[Event]) -> None:
        match delta["type"]:
            case "text_delta":
                written = delta["text"]
                if written and type(written) is str:
                    events.append(TextDelta(at_ns, written))
                else:
                    text(written)
            case "thinking_delta":
                if thinking := text(delta["thinking"]):
                    events.append(ReasoningDelta(at_ns, thinking))
            case "input_json_delta":
                arguments = call_arguments(delta["partial_json"])
                self._blocks.write(call_index(event.get("index")), arguments, at_ns, events)
            case kind:
                text(kind)

    def _write_start(self, content: "_Content", event: "_Event", at_ns: int, events: list[Event]) -> None:
        match content["type"]:
            case "text":
                if written := text(content.get("text")):
                    events.append(TextDelta(at_ns, written))
            case "thinking":
                if thinking := text(content.get("thinking")):
                    events.append(ReasoningDelta(at_ns, thinking))
            case "tool_use":
                self._blocks.open(call_index(event.get("index")), content, at_ns, events)
            case kind:
                text(kind)
                self._blocks.open_other(call_index(event.get("index")))

    def _stop(self, at_ns: int, events: list[Event]) -> None:
        self.ended = True
        self._blocks.close_all(at_ns, events)
        if not self.finished:
            events.append(Finish(at_ns, None, self._model))

    def _finish(self, reason: str, at_ns: int, events: list[Event]) -> None:
        if reason:
            self.finished = True
            events.append(Finish(at_ns, reason, self._model))

    def _count(self, usage: "_Usage | None", at_ns: int, events: list[Event]) -> None:
        """Later counts replace earlier ones; counts that are not repeated are kept."""
        if not usage:
            return
        counts = {
            "input_tokens": count(usage.get("input_tokens")),
            "cache_read_tokens": count(usage.get("cache_read_input_tokens")),
            "cache_write_tokens": _written(usage),
            "output_tokens": count(usage.get("output_tokens")),
            "reasoning_tokens": count(members(usage.get("output_tokens_details")).get("thinking_tokens")),
        }
        reported = {name: number for name, number in counts.items() if number is not None}
        self._usage = self._usage._replace(at_ns=at_ns, **reported)
        events.append(self._usage)


def _written(usage: "_Usage") -> int | None:
    """Return the tokens written to the cache, of any lifetime; some servers report each lifetime alone."""
    written = count(usage.get("cache_creation_input_tokens"))
    lifetimes = members(usage.get("cache_creation"))
    if written is not None or not lifetimes:
        return written
    counts = [count(lifetimes.get(f"ephemeral_{lifetime}_input_tokens")) for lifetime in ("5m", "1h")]
    return None if counts == [None, None] else sum(number or 0 for number in counts)


class _ToolBlocks:
    """The tool calls among the blocks of a message.

    `_inputs` holds the input that a block began with, which counts only if no pieces follow; None for blocks of other
    kinds, such as the server's own tools.
    """

    __slots__ = ("_inputs", "_numbers")

    def __init__(self) -> None:
        self._inputs: dict[int | None, str | None] = {}
        self._numbers = CallNumbers()

    def open(self, index: int | None, content: "_Content", at_ns: int, events: list[Event]) -> None:
        self.close(index, at_ns, events)
        self._inputs[index] = call_arguments(content.get("input"))
        name = text(content.get("name"))
        events.append(self._numbers.opening(at_ns, index, text(content.get("id")), name, ""))

    def open_other(self, index: int | None) -> None:
        self._inputs[index] = None

    def write(self, index: int | None, arguments: str, at_ns: int, events: list[Event]) -> None:
        if not arguments or self._inputs.get(index, "") is None:
            return
        self._inputs[index] = ""
        piece = self._numbers.piece(at_ns, index, "", "", arguments)
        if piece is not None:
            events.append(piece)

    def close(self, index: int | None, at_ns: int, events: list[Event]) -> None:
        if begun_with := self._inputs.pop(index, None):
            self.write(index, begun_with, at_ns, events)
            self._inputs.pop(index, None)

    def close_all(self, at_ns: int, events: list[Event]) -> None:
        for index in tuple(self._inputs):
            self.close(index, at_ns, events)


class _Content(TypedDict, total=False):
    type: str
    text: str
    thinking: str
    partial_json: str
    id: str | None
    name: str | None
    input: object
    stop_reason: str | None


class _Usage(TypedDict, total=False):
    input_tokens: object
    cache_read_input_tokens: object
    cache_creation_input_tokens: object
    cache_creation: object
    output_tokens: object
    output_tokens_details: object


class _Message(TypedDict, total=False):
    model: str | None
    usage: _Usage | None


class _Event(TypedDict, total=False):
    type: str
    index: object
    message: _Message
    content_block: _Content
    delta: _Content
    usage: _Usage | None
    error: object
