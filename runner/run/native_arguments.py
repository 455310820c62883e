"""The arguments of native calls held against what their tool declares."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from parsers.blocks import ToolCall
from parsers.transcript import arguments_of

_IS: Final[Mapping[str, Callable[[object], bool]]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list) and all(isinstance(item, dict) for item in value),
}
_NAMED: Final = {"integer": "whole number", "boolean": "truth value", "array": "list of objects"}


def argument_fault(
    transcript: str, calls: Sequence[ToolCall], tools: Collection[str], declared: Mapping[str, str]
) -> str:
    """Return what is wrong with the arguments of the only call of an edit tool; "" if nothing is.

    `declared` are the types of the arguments by their names. Arguments that break off are no fault of their own, nor
    are those that leave something out: both have outcomes.
    """
    if len(calls) != 1 or calls[0].name not in tools or calls[0].partial:
        return ""
    ((_, arguments),) = arguments_of(transcript)
    try:
        values = json.loads(arguments)
    except (ValueError, RecursionError) as error:
        return f"the arguments are not JSON: {error}"
    if not isinstance(values, dict):
        return "the arguments are no object"
    unknown = sorted(values.keys() - declared.keys())
    if unknown:
        return f"the tool has no argument {', '.join(map(repr, unknown))}"
    return "; ".join(_wrong(values, declared))


def _wrong(values: Mapping[str, object], declared: Mapping[str, str]) -> list[str]:
    wrong: dict[str, list[str]] = {}
    for name in sorted(values):
        if not _IS[declared[name]](values[name]):
            wrong.setdefault(declared[name], []).append(name)
    return [f"{', '.join(names)}: no {_NAMED.get(kind, kind)}" for kind, names in wrong.items()]
