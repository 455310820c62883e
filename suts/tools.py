"""Tools that a model calls natively: how one is declared, and what a conversation holds of earlier calls."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import orjson


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as it is declared to the model; `parameters` is the JSON schema of its arguments, sent as it is."""

    name: str
    description: str
    parameters: Mapping[str, object] = field(hash=False)


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call in the conversation; `arguments` are JSON text, `id` is what its result names."""

    id: str
    name: str
    arguments: str

    @property
    def input(self) -> object:
        """The arguments as values; {} where they are no JSON."""
        try:
            return orjson.loads(self.arguments)
        except orjson.JSONDecodeError:
            return {}


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call gave back, an error or not."""

    call_id: str
    text: str
    is_error: bool = False
