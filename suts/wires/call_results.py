"""Results of calls of tools, which a request shows its model, over whichever wire; and the calls that were wasted."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import orjson

from suts.wires.agent_call import changes_files
from suts.wires.tool_calls import ToolCall

_FAILURES = ("error", "<tool_use_error>")


@dataclass(frozen=True, slots=True)
class ShownResult:
    """What a call gave, as the model gets to read it; `stated` None where the wire has no word for a failure."""

    text: str
    stated: bool | None = None

    @property
    def failed(self) -> bool:
        """Whether the call failed. Where a wire does not state that, a result that begins as an error is one."""
        return self.text.lower().startswith(_FAILURES) if self.stated is None else self.stated


def shown_results(body: dict[str, object]) -> Iterator[tuple[str, ShownResult]]:
    """Yield the results of calls that the body of a request holds, by the ids of the calls."""
    for turn in (*_objects(body.get("messages")), *_objects(body.get("input"))):
        if turn.get("role") == "tool":
            yield _words(turn.get("tool_call_id")), ShownResult(_text(turn.get("content")))
        elif turn.get("type") == "function_call_output":
            yield _words(turn.get("call_id")), ShownResult(_text(turn.get("output")))
        for part in _objects(turn.get("content")):
            if part.get("type") == "tool_result":
                failed = part.get("is_error") is True
                yield _words(part.get("tool_use_id")), ShownResult(_text(part.get("content")), failed)
    parts = (part for turn in _objects(body.get("contents")) for part in _objects(turn.get("parts")))
    results = (part.get("functionResponse") for part in parts)
    yield from ((_words(result.get("id")), google_result(result)) for result in results if isinstance(result, dict))


def google_result(result: dict[str, object]) -> ShownResult:
    """Return a result as Google's API has it: an object, by custom with an `output` or an `error`."""
    response = result.get("response")
    if not isinstance(response, dict):
        return ShownResult("")
    stated = response.get("error", response.get("output"))
    text = stated if isinstance(stated, str) else orjson.dumps(response).decode()
    return ShownResult(text, True if "error" in response else None)


def wasted_calls(calls: Iterable[ToolCall], failed: frozenset[str]) -> int:
    """Return how many calls failed, or did again what was done: equal to an earlier one, no file changed in between."""
    seen: set[tuple[str, str]] = set()
    wasted = 0
    for call in calls:
        key = (call.name, call.arguments)
        wasted += call.id in failed or key in seen
        if changes_files(call) and call.id not in failed:
            seen.clear()
        seen.add(key)
    return wasted


def _objects(value: object) -> list[dict[str, object]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _words(value: object) -> str:
    return value if isinstance(value, str) else ""


def _text(content: object) -> str:
    return content if isinstance(content, str) else "\n".join(_words(part.get("text")) for part in _objects(content))
