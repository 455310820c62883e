"""The tools of a coding agent as its request declares them: which of them reads, edits, writes and runs.

Names and parameters differ from agent to agent. A tool is recognised by a word in its name and by its parameters.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import orjson

from suts.simulated.calls import EDIT_TOOL, NativeCall
from suts.simulated.tool_choice import is_object, smallest

Role = str
# The parameters of each role, with the names that agents give them.
_PARAMETERS: Final[Mapping[str, tuple[str, ...]]] = {
    "path": ("file_path", "path", "filePath", "absolute_path"),
    "old": ("old_string", "old", "old_str", "oldString"),
    "new": ("new_string", "new", "new_str", "newString"),
    "content": ("content", "file_text", "contents"),
    "command": ("command", "cmd"),
}
_REASON: Final = "as the task asks"
_ROLES: Final[Mapping[Role, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "read": (("read", "view"), ("path",)),
    "edit": (("edit", "replace"), ("path", "old", "new")),
    "write": (("write", "create"), ("path", "content")),
    "run": (("bash", "run", "shell", "exec"), ("command",)),
}


@dataclass(frozen=True, slots=True)
class AgentTool:
    """One tool: its name, the names of its parameters in the order of its role, and what else it requires."""

    name: str
    parameters: tuple[str, ...]
    others: Mapping[str, object] = field(default_factory=dict)

    def call(self, *values: str) -> NativeCall:
        """Return a call with these values."""
        arguments = dict(zip(self.parameters, values, strict=True))
        return NativeCall(self.name, orjson.dumps({**self.others, **arguments}).decode())


@dataclass(frozen=True, slots=True)
class AgentTurn:
    """Where an agent stands: the tools that it declares, by role, and how many of its calls have been answered.

    `plain_lines`: no result has a carriage return, so a model that has read a file with line ends CR LF writes LF, and
    leaves the rest to the tool.
    """

    tools: Mapping[Role, AgentTool]
    position: int
    plain_lines: bool = False

    def call(self, role: Role, values: tuple[str, ...]) -> NativeCall:
        """Return a call of the tool of a role."""
        path, *texts = values
        texts = [text.replace("\r\n", "\n") for text in texts] if self.plain_lines else texts
        return self.tools[role].call(path, *texts)


def agent_turn(declared: Mapping[str, Mapping[str, object]], results: Sequence[str]) -> AgentTurn | None:
    """Return the turn of a request with these tools and results of calls.

    None without tools to read and to change files.
    """
    tools = {role: tool for role in _ROLES if (tool := _tool_of(role, declared)) is not None}
    is_agent = "read" in tools and ("edit" in tools or "write" in tools) and EDIT_TOOL not in declared
    return AgentTurn(tools, len(results), not any("\r" in text for text in results)) if is_agent else None


def call_results(turns: object) -> list[str]:
    """Return the texts of the results of calls that a conversation holds, over whichever wire."""
    results: list[str] = []
    for turn in filter(is_object, turns if isinstance(turns, list) else []):
        content = turn.get("content")
        if turn.get("role") == "tool":
            results.append(_text(content))
        elif turn.get("type") == "function_call_output":
            results.append(_text(turn.get("output")))
        elif isinstance(content, list):
            parts = (part for part in filter(is_object, content) if part.get("type") == "tool_result")
            results += [_text(part.get("content")) for part in parts]
    return results


def _text(content: object) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in filter(is_object, content))
    return content if isinstance(content, str) else ""


def _tool_of(role: Role, declared: Mapping[str, Mapping[str, object]]) -> AgentTool | None:
    words, needed = _ROLES[role]
    for name, schema in declared.items():
        properties = schema.get("properties")
        if not is_object(properties) or not any(word in name.lower() for word in words):
            continue
        names = [next((own for own in _PARAMETERS[part] if own in properties), "") for part in needed]
        if all(names):
            return AgentTool(name, tuple(names), _required(schema, properties, names))
    return None


def _required(
    schema: Mapping[str, object], properties: Mapping[str, object], of_role: Sequence[str]
) -> Mapping[str, object]:
    """Return values for the parameters that a tool requires beside those of its role, such as a reason for an edit."""
    required = schema.get("required")
    names = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
    schemas = ((name, own) for name in names if name not in of_role and is_object(own := properties.get(name)))
    return {name: _REASON if (value := smallest(own)) in ("", None) else value for name, own in schemas}
