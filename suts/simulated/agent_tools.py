"""The tools of a coding agent as its request declares them: which of them reads, edits, writes and runs.

Names and parameters differ from agent to agent. A tool is recognised by a word in its name and by its parameters.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import orjson

from suts.simulated.calls import EDIT_TOOL, NativeCall
from suts.simulated.tool_choice import is_object

Role = str
# The parameters of each role, with the names that agents give them.
_PARAMETERS: Final[Mapping[str, tuple[str, ...]]] = {
    "path": ("file_path", "path", "filePath", "absolute_path"),
    "old": ("old_string", "old", "old_str", "oldString"),
    "new": ("new_string", "new", "new_str", "newString"),
    "content": ("content", "file_text", "contents"),
    "command": ("command", "cmd"),
}
_ROLES: Final[Mapping[Role, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "read": (("read", "view"), ("path",)),
    "edit": (("edit", "replace"), ("path", "old", "new")),
    "write": (("write", "create"), ("path", "content")),
    "run": (("bash", "run", "shell", "exec"), ("command",)),
}


@dataclass(frozen=True, slots=True)
class AgentTool:
    """One tool: its name, and the names of its parameters in the order of its role."""

    name: str
    parameters: tuple[str, ...]

    def call(self, *values: str) -> NativeCall:
        """Return a call with these values."""
        return NativeCall(self.name, orjson.dumps(dict(zip(self.parameters, values, strict=True))).decode())


@dataclass(frozen=True, slots=True)
class AgentTurn:
    """Where an agent stands: the tools that it declares, by role, and how many of its calls have been answered.

    `plain_lines`: no text of its conversation has a carriage return, so a model that has read a file with line ends
    CR LF writes LF, and leaves the rest to the tool.
    """

    tools: Mapping[Role, AgentTool]
    position: int
    plain_lines: bool = False

    def call(self, role: Role, values: tuple[str, ...]) -> NativeCall:
        """Return a call of the tool of a role."""
        path, *texts = values
        texts = [text.replace("\r\n", "\n") for text in texts] if self.plain_lines else texts
        return self.tools[role].call(path, *texts)


def agent_turn(
    declared: Mapping[str, Mapping[str, object]], answered: int, texts: Iterable[str] = ()
) -> AgentTurn | None:
    """Return the turn of a request with these tools and texts; None without tools to read and to change files."""
    tools = {role: tool for role in _ROLES if (tool := _tool_of(role, declared)) is not None}
    is_agent = "read" in tools and ("edit" in tools or "write" in tools) and EDIT_TOOL not in declared
    return AgentTurn(tools, answered, not any("\r" in text for text in texts)) if is_agent else None


def answered_calls(turns: object) -> int:
    """Return how many results of calls a conversation holds, over whichever wire."""
    count = 0
    for turn in filter(is_object, turns if isinstance(turns, list) else []):
        if turn.get("role") == "tool" or turn.get("type") == "function_call_output":
            count += 1
        content = turn.get("content")
        if isinstance(content, list):
            count += sum(part.get("type") == "tool_result" for part in filter(is_object, content))
    return count


def _tool_of(role: Role, declared: Mapping[str, Mapping[str, object]]) -> AgentTool | None:
    words, needed = _ROLES[role]
    for name, schema in declared.items():
        properties = schema.get("properties")
        if not is_object(properties) or not any(word in name.lower() for word in words):
            continue
        names = [next((own for own in _PARAMETERS[part] if own in properties), "") for part in needed]
        if all(names):
            return AgentTool(name, tuple(names))
    return None
