"""Reads the stream of Google's Gemini API (`streamGenerateContent?alt=sse`): whole responses, each with further parts.

There is no end marker: the last response has a reason for its end and the counts of tokens. Calls come whole, and
their arguments are objects. Reasons are small letters here: `stop`, `max_tokens`.
"""

from typing import TypedDict

import orjson

from suts.failures import failure
from suts.sut import Event, Finish, ReasoningDelta, TextDelta, ToolCallDelta, Usage
from suts.wires.decoder import SseDecoder
from suts.wires.fields import call_arguments, count, members, text, text_or_none


class GoogleGenerateWire:
    """The wire `google-generate`."""

    name = "google-generate"

    def decoder(self) -> SseDecoder:
        """Begin a stream."""
        return SseDecoder(_Reader)


class _Reader:
    """One answer being read, of which the first candidate counts. Counts are cumulative: the last ones stay."""

    __slots__ = ("_calls", "ended", "finished")

    def __init__(self) -> None:
        self.ended = False
        self.finished = False
        self._calls = 0

    def read(self, payload: bytes, at_ns: int, events: list[Event]) -> None:
        response: _Response = orjson.loads(payload)
        if (error := response.get("error")) is not None:
            raise failure(error)
        candidates = response.get("candidates") or []
        candidate: _Candidate = candidates[0] if candidates else {}
        for part in members(candidate.get("content")).get("parts") or ():  # type: ignore[attr-defined]  # a list
            self._take(part, at_ns, events)
        if usage := members(response.get("usageMetadata")):
            events.append(google_usage(usage, at_ns))
        refused = text(members(response.get("promptFeedback")).get("blockReason"))
        if reason := text(candidate.get("finishReason")) or refused:
            self.finished, self.ended = True, bool(usage)
            events.append(Finish(at_ns, reason.lower(), text_or_none(response.get("modelVersion"))))

    def _take(self, part: "_Part", at_ns: int, events: list[Event]) -> None:
        if call := members(part.get("functionCall")):
            arguments = call_arguments(call.get("args")) or "{}"
            events.append(ToolCallDelta(at_ns, self._calls, text(call.get("name")), arguments, text(call.get("id"))))
            self._calls += 1
        elif written := text(part.get("text")):
            kind = ReasoningDelta if part.get("thought") is True else TextDelta
            events.append(kind(at_ns, written))


def google_usage(usage: dict[str, object], at_ns: int) -> Usage:
    """Return four disjoint classes of tokens: the prompt includes what the cache had, candidates no thoughts."""
    prompt, cached = count(usage.get("promptTokenCount")), count(usage.get("cachedContentTokenCount"))
    written, thoughts = count(usage.get("candidatesTokenCount")), count(usage.get("thoughtsTokenCount"))
    of_tools = count(usage.get("toolUsePromptTokenCount")) or 0
    return Usage(
        at_ns,
        input_tokens=None if prompt is None else max(0, prompt + of_tools - (cached or 0)),
        cache_read_tokens=cached,
        output_tokens=None if written is None and thoughts is None else (written or 0) + (thoughts or 0),
        reasoning_tokens=thoughts,
    )


class _Part(TypedDict, total=False):
    text: str | None
    thought: object
    functionCall: object


class _Candidate(TypedDict, total=False):
    content: object
    finishReason: str | None


class _Response(TypedDict, total=False):
    candidates: list[_Candidate] | None
    usageMetadata: object
    promptFeedback: object
    modelVersion: str | None
    error: object
