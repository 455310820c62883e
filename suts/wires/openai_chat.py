"""Reads the stream of an OpenAI-compatible chat completion: `data:` lines of JSON chunks, ended by `[DONE]`.

Beside OpenAI's own fields it reads those that others add: `reasoning` or `reasoning_content` (OpenRouter, DeepSeek,
vLLM), `usage.cost` and `provider` (OpenRouter), `timings` (llama.cpp), an error object in a chunk or in a choice. Text
completions differ only in `text` where chats have a delta; chunks of llama.cpp's `/infill` have a form of their own. Of
several choices only that of index 0 is read.
"""

from typing import TypedDict

import orjson

from suts.failures import failure
from suts.sut import Event, Finish, ReasoningDelta, TextDelta, Usage
from suts.wires.charge import charge_usd
from suts.wires.decoder import SseDecoder
from suts.wires.fields import call_arguments, call_index, count, members, text, text_or_none
from suts.wires.llamacpp import infill_events, timings_of
from suts.wires.tool_calls import CallNumbers, Index

# Room for the end marker with white space around it; a chunk is longer.
_MARKER_ROOM = 32
# The place of the one call that the older form of tool calls has.
_FUNCTION_CALL = "function_call"


class OpenAiChatWire:
    """The wire `openai-chat`."""

    name = "openai-chat"

    def decoder(self) -> SseDecoder:
        """Begin a stream."""
        return SseDecoder(_Reader)


class _Reader:
    """One chat completion being read. Each Usage is cumulative: the last counts, like the last Finish."""

    __slots__ = ("_calls", "_last", "_reason", "ended", "finished")

    def __init__(self) -> None:
        self.ended = False
        self.finished = False
        self._reason: str | None = None
        self._last: _Chunk = {}
        self._calls: CallNumbers | None = None

    def read(self, payload: bytes, at_ns: int, events: list[Event]) -> None:
        if len(payload) < _MARKER_ROOM and payload.strip() == b"[DONE]":
            self._close(at_ns, events)
            return
        chunk: _Chunk = orjson.loads(payload)
        self._last = chunk
        if error := chunk.get("error"):
            raise failure(error)
        choices = chunk.get("choices")
        if choices:
            choice: _Choice | None = choices[0]
            if choice and choice.get("index"):
                choice = _first(choices)
            if choice:
                self._choose(choice, at_ns, events)
        elif chunk.get("stop") is not None:
            events += infill_events(chunk, at_ns)
            self.ended = self.finished = chunk["stop"] is True
        if usage := chunk.get("usage"):
            events.append(_usage(usage, at_ns))
            events += timings_of(chunk.get("timings"), at_ns)

    def _close(self, at_ns: int, events: list[Event]) -> None:
        self.ended = True
        if not self.finished:
            events.append(self._end(at_ns, None))

    def _choose(self, choice: "_Choice", at_ns: int, events: list[Event]) -> None:
        delta = choice.get("delta")
        if delta:
            content = delta.get("content")
            if content and type(content) is str:
                events.append(TextDelta(at_ns, content))
                if len(delta) > 1:
                    self._write_rest(delta, at_ns, events)
            else:
                if content is not None:
                    _write_parts(content, at_ns, events)
                self._write_rest(delta, at_ns, events)
        elif written := text(choice.get("text")):
            events.append(TextDelta(at_ns, written))
        reason = choice.get("finish_reason")
        if reason is not None and text(reason) and reason != self._reason:
            if reason == "error":
                raise failure(choice.get("error") or "the provider ended the answer with an error")
            self._reason, self.finished = reason, True
            events.append(self._end(at_ns, reason))

    def _end(self, at_ns: int, reason: str | None) -> Finish:
        return Finish(at_ns, reason, text_or_none(self._last.get("model")), text_or_none(self._last.get("provider")))

    def _write_rest(self, delta: "_Delta", at_ns: int, events: list[Event]) -> None:
        """Append what a delta contains beside `content`; gateways repeat the same reasoning under both names."""
        if len(delta) > 1 or "tool_calls" not in delta:
            reasoning = text(delta.get("reasoning")) or text(delta.get("reasoning_content"))
            if reasoning:
                events.append(ReasoningDelta(at_ns, reasoning))
            if refused := text(delta.get("refusal")):
                events.append(TextDelta(at_ns, refused))
        for call in delta.get("tool_calls") or ():
            if self._calls is not None and len(call) == 2 and (further := self._calls.further(call, at_ns)):
                events.append(further)
                continue
            self._write_call(call_index(call.get("index")), call.get("id"), call.get("function"), at_ns, events)
        if function := delta.get("function_call"):
            self._write_call(_FUNCTION_CALL, None, function, at_ns, events)

    def _write_call(self, index: Index, call_id: object, function: object, at_ns: int, events: list[Event]) -> None:
        if self._calls is None:
            self._calls = CallNumbers()
        parts = members(function)
        name, arguments = text(parts.get("name")), call_arguments(parts.get("arguments"))
        piece = self._calls.piece(at_ns, index, text(call_id), name, arguments)
        if piece is not None:
            events.append(piece)


def _first(choices: "list[_Choice]") -> "_Choice | None":
    """Return the choice of index 0; None where a chunk has only others, of which there are some on request."""
    return next((choice for choice in choices if not call_index(choice.get("index"))), None)


def _write_parts(content: "str | list[_Part] | None", at_ns: int, events: list[Event]) -> None:
    """Append the typed parts in which Mistral's reasoning models answer; parts of unknown types are ignored."""
    if type(content) is not list:
        text(content)
        return
    for part in content:
        match part["type"]:
            case "thinking":
                thoughts = part["thinking"]
                inner = thoughts if type(thoughts) is list else [_Part(text=text(thoughts))]
                events.extend(ReasoningDelta(at_ns, text(thought["text"])) for thought in inner)
            case "text":
                events.append(TextDelta(at_ns, text(part["text"])))
            case kind:
                text(kind)


def _usage(usage: "_Usage", at_ns: int) -> Usage:
    """Return four disjoint classes of tokens; the prompt's count in `usage` includes cached tokens."""
    details = members(usage.get("prompt_tokens_details"))
    read = count(details.get("cached_tokens", usage.get("prompt_cache_hit_tokens")))
    written = count(details.get("cache_write_tokens"))
    prompt, output = count(usage.get("prompt_tokens")), count(usage.get("completion_tokens"))
    reasoning = count(members(usage.get("completion_tokens_details")).get("reasoning_tokens"))
    if reasoning and output is not None and usage.get("total_tokens") == (prompt or 0) + output + reasoning:
        output += reasoning  # xAI counts reasoning beside the completion, others inside it
    return Usage(
        at_ns,
        input_tokens=None if prompt is None else max(0, prompt - (read or 0) - (written or 0)),
        cache_read_tokens=read,
        cache_write_tokens=written,
        output_tokens=output,
        reasoning_tokens=reasoning,
        cost_usd=charge_usd(usage),
    )


class _Part(TypedDict, total=False):
    type: str
    text: str
    thinking: "list[_Part] | str"


class _Call(TypedDict, total=False):
    index: int | None
    id: str | None
    function: object


class _Delta(TypedDict, total=False):
    content: str | list[_Part] | None
    reasoning: str | None
    reasoning_content: str | None
    refusal: str | None
    tool_calls: list[_Call] | None
    function_call: object


class _Choice(TypedDict, total=False):
    index: int | None
    delta: _Delta | None
    text: str | None
    finish_reason: str | None
    error: object


class _Usage(TypedDict, total=False):
    prompt_tokens: object
    completion_tokens: object
    total_tokens: object
    prompt_cache_hit_tokens: object
    prompt_tokens_details: object
    completion_tokens_details: object
    cost: object
    cost_details: object
    is_byok: object


class _Chunk(TypedDict, total=False):
    choices: list[_Choice] | None
    usage: _Usage | None
    model: str | None
    provider: str | None
    error: object
    stop: object
    timings: object
