"""Reads the stream of an Anthropic message: events from `message_start` to `message_stop`, one JSON object each.

Unknown kinds of event or block are ignored: the API may add some at any time.
"""

from typing import TypedDict

import orjson

from suts.failures import failure
from suts.sut import Event, Finish, ReasoningDelta, TextDelta, ToolCallDelta, Usage
from suts.wires.decoder import SseDecoder


class AnthropicMessagesWire:
    """The wire `anthropic-messages`."""

    name = "anthropic-messages"

    def decoder(self) -> SseDecoder:
        """Begin a stream."""
        return SseDecoder(_Reader)


class _Reader:
    """One message being read. Counts are cumulative, so the last Usage counts."""

    __slots__ = ("_finished", "_model", "_usage", "ended")

    def __init__(self) -> None:
        self.ended = False
        self._finished = False
        self._model: str | None = None
        self._usage = Usage(0)

    def read(self, payload: bytes, at_ns: int, events: list[Event]) -> None:
        event: _Event = orjson.loads(payload)
        match event["type"]:
            case "content_block_delta":
                _write_delta(event["delta"], event["index"], at_ns, events)
            case "content_block_start":
                _write_start(event["content_block"], event["index"], at_ns, events)
            case "message_start":
                self._model = event["message"].get("model")
                self._count(event["message"].get("usage"), at_ns, events)
            case "message_delta":
                self._end(event["delta"].get("stop_reason"), at_ns, events)
                self._count(event.get("usage"), at_ns, events)
            case "message_stop":
                self.ended = True
                if not self._finished:
                    events.append(Finish(at_ns, None, self._model))
            case "error":
                raise failure(event["error"])
            case _:
                pass

    def _end(self, reason: str | None, at_ns: int, events: list[Event]) -> None:
        if reason and not self._finished:
            self._finished = True
            events.append(Finish(at_ns, reason, self._model))

    def _count(self, usage: "_Usage | None", at_ns: int, events: list[Event]) -> None:
        """Later counts replace earlier ones; counts that are not repeated are kept."""
        if not usage:
            return
        counts = {**usage, **(usage.get("output_tokens_details") or {})}
        reported = {ours: count for name, ours in _COUNTS.items() if isinstance(count := counts.get(name), int)}
        self._usage = self._usage._replace(at_ns=at_ns, **reported)
        events.append(self._usage)


def _write_delta(delta: "_Content", block: int, at_ns: int, events: list[Event]) -> None:
    match delta["type"]:
        case "text_delta" if text := delta["text"]:
            events.append(TextDelta(at_ns, text))
        case "thinking_delta" if thinking := delta["thinking"]:
            events.append(ReasoningDelta(at_ns, thinking))
        case "input_json_delta" if arguments := delta["partial_json"]:
            events.append(ToolCallDelta(at_ns, block, "", arguments))
        case _:
            pass


def _write_start(content: "_Content", block: int, at_ns: int, events: list[Event]) -> None:
    match content["type"]:
        case "text" if text := content["text"]:
            events.append(TextDelta(at_ns, text))
        case "thinking" if thinking := content["thinking"]:
            events.append(ReasoningDelta(at_ns, thinking))
        case "tool_use":
            events.append(ToolCallDelta(at_ns, block, content["name"], ""))
        case _:
            pass


_COUNTS = {
    "input_tokens": "input_tokens",
    "cache_read_input_tokens": "cache_read_tokens",
    "cache_creation_input_tokens": "cache_write_tokens",
    "output_tokens": "output_tokens",
    "thinking_tokens": "reasoning_tokens",
}


class _Content(TypedDict, total=False):
    type: str
    text: str
    thinking: str
    partial_json: str
    name: str
    stop_reason: str | None


class _OutputDetails(TypedDict, total=False):
    thinking_tokens: int | None


class _Usage(TypedDict, total=False):
    input_tokens: int | None
    cache_read_input_tokens: int | None
    cache_creation_input_tokens: int | None
    output_tokens: int | None
    output_tokens_details: _OutputDetails | None


class _Message(TypedDict, total=False):
    model: str | None
    usage: _Usage | None


class _Event(TypedDict, total=False):
    type: str
    index: int
    message: _Message
    content_block: _Content
    delta: _Content
    usage: _Usage | None
    error: object
