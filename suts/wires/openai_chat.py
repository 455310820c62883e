"""Reads the stream of an OpenAI-compatible chat completion: `data:` lines of JSON chunks, ended by `[DONE]`.

Beside OpenAI's own fields it reads those that others add: `reasoning` or `reasoning_content` (OpenRouter, DeepSeek,
vLLM), `usage.cost` and `provider` (OpenRouter), an error object in a chunk or in a choice. Text completions differ
only in `text` where chats have a delta.
"""

from typing import TypedDict

import orjson

from suts.failures import failure
from suts.sut import Event, Finish, ReasoningDelta, TextDelta, ToolCallDelta, Usage
from suts.wires.decoder import SseDecoder


class OpenAiChatWire:
    """The wire `openai-chat`."""

    name = "openai-chat"

    def decoder(self) -> SseDecoder:
        """Begin a stream."""
        return SseDecoder(_Reader)


class _Reader:
    """One chat completion being read. Each Usage is cumulative: the last counts."""

    __slots__ = ("_finished", "_last", "ended")

    def __init__(self) -> None:
        self.ended = False
        self._finished = False
        self._last: _Chunk = {}

    def read(self, payload: bytes, at_ns: int, events: list[Event]) -> None:
        if payload == b"[DONE]":
            self.ended = True
            if not self._finished:
                events.append(self._end(at_ns, None))
            return
        chunk: _Chunk = orjson.loads(payload)
        self._last = chunk
        if error := chunk.get("error"):
            raise failure(error)
        choices = chunk.get("choices")
        if choices:
            self._choose(choices[0], at_ns, events)
        if usage := chunk.get("usage"):
            events.append(_usage(usage, at_ns))

    def _choose(self, choice: "_Choice", at_ns: int, events: list[Event]) -> None:
        delta = choice.get("delta")
        if delta:
            text = delta.get("content")
            if text:
                _write(text, at_ns, events)
            if len(delta) > 1 or not text:
                _write_rest(delta, at_ns, events)
        elif text := choice.get("text"):
            events.append(TextDelta(at_ns, text))
        reason = choice.get("finish_reason")
        if reason and not self._finished:
            if reason == "error":
                raise failure(choice.get("error") or "the provider ended the answer with an error")
            self._finished = True
            events.append(self._end(at_ns, reason))

    def _end(self, at_ns: int, reason: str | None) -> Finish:
        return Finish(at_ns, reason, self._last.get("model"), self._last.get("provider"))


def _write(content: "str | list[_Part]", at_ns: int, events: list[Event]) -> None:
    """Append text, or the typed parts in which Mistral's reasoning models answer."""
    if isinstance(content, str):
        events.append(TextDelta(at_ns, content))
        return
    for part in content:
        if part["type"] == "thinking":
            events.extend(ReasoningDelta(at_ns, inner["text"]) for inner in part["thinking"])
        else:
            events.append(TextDelta(at_ns, part["text"]))


def _write_rest(delta: "_Delta", at_ns: int, events: list[Event]) -> None:
    """Append what a delta contains beside `content`; gateways repeat the same reasoning under both names."""
    reasoning = delta.get("reasoning") or delta.get("reasoning_content")
    if reasoning:
        events.append(ReasoningDelta(at_ns, reasoning))
    refused = delta.get("refusal")
    if refused:
        events.append(TextDelta(at_ns, refused))
    for call in delta.get("tool_calls") or ():
        function = call.get("function") or {}
        name, arguments = function.get("name") or "", function.get("arguments") or ""
        events.append(ToolCallDelta(at_ns, call.get("index") or 0, name, arguments))


def _usage(usage: "_Usage", at_ns: int) -> Usage:
    """Return four disjoint classes of tokens; the prompt's count in `usage` includes cached tokens."""
    details = usage.get("prompt_tokens_details") or {}
    read = details.get("cached_tokens", usage.get("prompt_cache_hit_tokens"))
    written = details.get("cache_write_tokens")
    prompt, output = usage.get("prompt_tokens"), usage.get("completion_tokens")
    reasoning = (usage.get("completion_tokens_details") or {}).get("reasoning_tokens")
    if reasoning and output is not None and usage.get("total_tokens") == (prompt or 0) + output + reasoning:
        output += reasoning  # xAI counts reasoning beside the completion, others inside it
    return Usage(
        at_ns,
        input_tokens=None if prompt is None else max(0, prompt - (read or 0) - (written or 0)),
        cache_read_tokens=read,
        cache_write_tokens=written,
        output_tokens=output,
        reasoning_tokens=reasoning,
        cost_usd=_cost(usage),
    )


def _cost(usage: "_Usage") -> float | None:
    """Return OpenRouter's charge; with the user's own upstream key, plus what the upstream charges."""
    cost = usage.get("cost")
    if cost is None:
        return None
    upstream = (usage.get("cost_details") or {}).get("upstream_inference_cost")
    # Without an own key, the upstream's figure is included in the charge.
    return float(cost) + (float(upstream) if upstream and usage.get("is_byok") is not False else 0.0)


class _Part(TypedDict):
    type: str
    text: str
    thinking: "list[_Part]"


class _Function(TypedDict, total=False):
    name: str | None
    arguments: str | None


class _Call(TypedDict, total=False):
    index: int
    function: _Function | None


class _Delta(TypedDict, total=False):
    content: str | list[_Part] | None
    reasoning: str | None
    reasoning_content: str | None
    refusal: str | None
    tool_calls: list[_Call] | None


class _Choice(TypedDict, total=False):
    delta: _Delta | None
    text: str | None
    finish_reason: str | None
    error: object


class _PromptDetails(TypedDict, total=False):
    cached_tokens: int | None
    cache_write_tokens: int | None


class _CompletionDetails(TypedDict, total=False):
    reasoning_tokens: int | None


class _CostDetails(TypedDict, total=False):
    upstream_inference_cost: float | None


class _Usage(TypedDict, total=False):
    prompt_tokens: int | None
    completion_tokens: int | None
    total_tokens: int | None
    prompt_cache_hit_tokens: int | None
    prompt_tokens_details: _PromptDetails | None
    completion_tokens_details: _CompletionDetails | None
    cost: float | None
    cost_details: _CostDetails | None
    is_byok: bool


class _Chunk(TypedDict, total=False):
    choices: list[_Choice] | None
    usage: _Usage | None
    model: str | None
    provider: str | None
    error: object
