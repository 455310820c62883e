"""Reads what llama.cpp's server adds: its timings, and the chunks of `/infill`, which have its own form.

Such a chunk has `content` and `stop`; the last one has the counts, `stop_type` and `timings`, and no `[DONE]` follows.
"""

from collections.abc import Mapping
from math import isfinite

from suts.sut import Event, Finish, TextDelta, Timings, Usage
from suts.wires.fields import count, text, text_or_none

_REASONS = {"limit": "length"}


def timings_of(value: object, at_ns: int) -> list[Event]:
    """Return the server's own times of prompt and output; nothing where there are none that can be read."""
    if not isinstance(value, dict):
        return []
    prompt_ms, output_ms = _duration(value.get("prompt_ms")), _duration(value.get("predicted_ms"))
    return [] if prompt_ms is None and output_ms is None else [Timings(at_ns, prompt_ms, output_ms)]


def infill_events(chunk: Mapping[str, object], at_ns: int) -> list[Event]:
    """Return the events of one chunk of `/infill`. Raises TypeError or ValueError for one that makes no sense."""
    written = text(chunk.get("content"))
    events: list[Event] = [TextDelta(at_ns, written)] if written else []
    if chunk.get("stop") is True:
        timings = chunk.get("timings")
        events.append(_usage(chunk, timings if isinstance(timings, dict) else {}, at_ns))
        events += timings_of(timings, at_ns)
        reason = text(chunk.get("stop_type"))
        events.append(Finish(at_ns, _REASONS.get(reason, "stop"), text_or_none(chunk.get("model"))))
    return events


def _usage(chunk: Mapping[str, object], timings: Mapping[str, object], at_ns: int) -> Usage:
    """Return the counts; `tokens_evaluated` is the whole prompt, with what the cache had of it."""
    prompt, cached = count(chunk.get("tokens_evaluated")), count(timings.get("cache_n"))
    return Usage(
        at_ns,
        input_tokens=None if prompt is None else max(0, prompt - (cached or 0)),
        cache_read_tokens=cached,
        output_tokens=count(chunk.get("tokens_predicted")),
    )


def _duration(value: object) -> float | None:
    return float(value) if type(value) in {int, float} and isfinite(value) and value >= 0 else None  # type: ignore[arg-type,operator]  # a number
