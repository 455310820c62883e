"""A request that has to be answered by a tool call: which tool, and how the answer's text becomes its arguments.

A simulated model knows what to call an edit tool with; any other tool it calls only where `tool_choice` demands it.
The text of the answer is then the value of the tool's first string parameter; other required parameters get the
smallest value of their type.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

import orjson

from suts.simulated.pace import Piece
from suts.simulated.spec import WireName

_SMALLEST: Mapping[str, object] = {
    "string": "",
    "integer": 0,
    "number": 0,
    "boolean": False,
    "array": [],
    "object": {},
}


@dataclass(frozen=True, slots=True)
class ForcedCall:
    """A tool call: JSON before and after the text; without `takes_text` the arguments are `before` alone."""

    name: str
    before: str
    after: str
    takes_text: bool

    def arguments(self, pieces: Sequence[Piece]) -> list[Piece]:
        """Return the pieces of an answer with parts of the arguments' JSON in place of text; reasoning stays."""
        texts = [place for place, piece in enumerate(pieces) if not piece.reasoning]
        return [
            piece if piece.reasoning else piece._replace(text=self._part(piece.text, place, texts), call=0)
            for place, piece in enumerate(pieces)
        ]

    def _part(self, text: str, place: int, texts: Sequence[int]) -> str:
        before = self.before if place == texts[0] else ""
        after = self.after if place == texts[-1] else ""
        return before + (orjson.dumps(text).decode()[1:-1] if self.takes_text else "") + after


def forced_call(wire: WireName, values: Mapping[str, object]) -> ForcedCall | None:
    """Return the call that a request demands; None where the model may answer by text.

    Raises ValueError for a `tool_choice` that the vendor would refuse.
    """
    choice, tools = values.get("tool_choice"), declared(wire, values)
    if choice is None:
        return None
    if not tools:
        raise ValueError("tool_choice is only allowed when tools are specified")
    chosen = _CHOICES.get(wire, _openai_choice)(choice)
    if chosen is None:
        return None
    name = chosen or next(iter(tools))
    if name not in tools:
        raise ValueError(f"tool_choice: there is no tool {name!r} in tools")
    return _call(name, tools[name])


def declared(wire: WireName, values: Mapping[str, object]) -> dict[str, Mapping[str, object]]:
    """Return the schemas of the tools that a request declares, by name."""
    return _DECLARED.get(wire, _openai_tools)(values)


def _openai_choice(choice: object) -> str | None:
    """Return the name of the tool to call, "" for any, None for none."""
    match choice:
        case "none" | "auto":
            return None
        case "required":
            return ""
        case {"type": "function", "function": {"name": str() as name}}:
            return name
        case _:
            raise ValueError("tool_choice has to be none, auto, required, or the name of a function")


def _anthropic_choice(choice: object) -> str | None:
    """Return the same for Anthropic's form."""
    match choice:
        case {"type": "none" | "auto"}:
            return None
        case {"type": "any"}:
            return ""
        case {"type": "tool", "name": str() as name}:
            return name
        case _:
            raise ValueError("tool_choice: type has to be auto, any, none, or tool with a name")


def _responses_choice(choice: object) -> str | None:
    """Return the same for the form of Responses, whose functions are flat."""
    match choice:
        case {"type": "function", "name": str() as name}:
            return name
        case _:
            return _openai_choice(choice)


def _openai_tools(values: Mapping[str, object]) -> dict[str, Mapping[str, object]]:
    return {
        str(function["name"]): _object(function.get("parameters"))
        for tool in _objects(values.get("tools"))
        if "name" in (function := _object(tool.get("function")))
    }


def _anthropic_tools(values: Mapping[str, object]) -> dict[str, Mapping[str, object]]:
    tools = (tool for tool in _objects(values.get("tools")) if "name" in tool)
    return {str(tool["name"]): _object(tool.get("input_schema")) for tool in tools}


def _responses_tools(values: Mapping[str, object]) -> dict[str, Mapping[str, object]]:
    tools = (tool for tool in _objects(values.get("tools")) if "name" in tool)
    return {str(tool["name"]): _object(tool.get("parameters")) for tool in tools}


_CHOICES = {"anthropic-messages": _anthropic_choice, "openai-responses": _responses_choice}
_DECLARED = {"anthropic-messages": _anthropic_tools, "openai-responses": _responses_tools}


def _call(name: str, schema: Mapping[str, object]) -> ForcedCall:
    properties = {key: _object(value) for key, value in _object(schema.get("properties")).items()}
    required = schema.get("required")
    needed = [key for key in required if key in properties] if isinstance(required, list) else []
    text_name = next((key for key in (*needed, *properties) if properties[key].get("type") == "string"), None)
    others = {key: smallest(properties[key]) for key in needed if key != text_name}
    plain = orjson.dumps(others).decode()
    if text_name is None:
        return ForcedCall(name, plain, "", takes_text=False)
    comma = "," if others else ""
    return ForcedCall(name, f'{plain[:-1]}{comma}{orjson.dumps(text_name).decode()}:"', '"}', takes_text=True)


def smallest(schema: Mapping[str, object]) -> object:
    """Return the smallest value that a schema of a parameter permits."""
    choices = schema.get("enum")
    if isinstance(choices, list) and choices:
        return choices[0]
    return _SMALLEST.get(str(schema.get("type")))


def _objects(value: object) -> list[Mapping[str, object]]:
    return [item for item in value if is_object(item)] if isinstance(value, list) else []


def _object(value: object) -> Mapping[str, object]:
    return value if is_object(value) else {}


def is_object(value: object) -> TypeGuard[Mapping[str, object]]:
    """Return whether a JSON value is an object."""
    return isinstance(value, dict)
