"""Results of calls of tools, which a request shows its model, over whichever wire; and the calls that were wasted."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import orjson

from suts.wires.agent_call import changes_files
from suts.wires.fields import members
from suts.wires.tool_calls import ToolCall

# How results of coding agents begin, in small letters, where a call has failed.
_FAILURES = ("error", "<tool_use_error>", "failed to ", "could not ", "apply_patch verification failed")
# What shells of coding agents write above the output of a command that has failed.
_EXIT_CODE = re.compile(r"^(?:process exited with code|exit code:|<returncode>) ?-?[1-9]", re.IGNORECASE | re.MULTILINE)
_HEAD = 300
_EXIT_FIELDS = ("returncode", "exit_code", "exitCode")


@dataclass(frozen=True, slots=True)
class ShownResult:
    """What a call gave, as the model gets to read it; `stated` None where the wire has no word for a failure."""

    text: str
    stated: bool | None = None

    @property
    def failed(self) -> bool:
        """Whether the call failed.

        Where a wire does not state that, the result does: by its first words, by the exit code of a command, or as an
        object without success.
        """
        if self.stated is not None:
            return self.stated
        head = self.text[:_HEAD]
        if head.lower().startswith(_FAILURES) or _EXIT_CODE.search(head):
            return True
        return head.lstrip()[:1] in {"{", "["} and _fails(self.text)


def _fails(text: str) -> bool:
    """Return whether a result is an object of an agent that has failed, or a list with one."""
    try:
        result = orjson.loads(text.encode("utf-8", "surrogatepass"))
    except ValueError:
        return False
    for part in result if isinstance(result, list) else [result]:
        stated = members(part)
        if stated.get("success") is False or any(_is_code(stated.get(name)) for name in _EXIT_FIELDS):
            return True
    return False


def shown_results(body: dict[str, object]) -> Iterator[tuple[str, ShownResult]]:
    """Yield the results of calls that the body of a request holds, by the ids of the calls."""
    for turn in (*_objects(body.get("messages")), *_objects(body.get("input"))):
        if turn.get("role") == "tool":
            yield _words(turn.get("tool_call_id")), ShownResult(_text(turn.get("content")))
        elif turn.get("type") in {"function_call_output", "custom_tool_call_output"}:
            yield _words(turn.get("call_id")), ShownResult(_text(turn.get("output")))
        for part in _objects(turn.get("content")):
            if part.get("type") == "tool_result":
                failed = part.get("is_error") is True
                yield _words(part.get("tool_use_id")), ShownResult(_text(part.get("content")), failed)
    parts = (part for turn in _objects(body.get("contents")) for part in _objects(turn.get("parts")))
    results = (part.get("functionResponse") for part in parts)
    yield from ((_words(result.get("id")), google_result(result)) for result in results if isinstance(result, dict))


def google_result(result: Mapping[str, object]) -> ShownResult:
    """Return a result as Google's API has it: an object, by custom with an `output` or an `error`."""
    response = result.get("response")
    if not isinstance(response, dict):
        return ShownResult("")
    stated = response.get("error", response.get("output"))
    text = stated if isinstance(stated, str) else orjson.dumps(response).decode()
    return ShownResult(text, True if "error" in response else None)


def _is_code(value: object) -> bool:
    return isinstance(value, int) and value != 0


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
