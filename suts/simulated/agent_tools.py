"""The tools of a coding agent as its request declares them: which of them reads, edits, writes and runs.

Names and parameters differ from agent to agent. A tool is recognised by a word in its name and by its parameters. What
no tool of an agent does, its shell does: it reads by `cat`, and writes by `printf` or by `apply_patch`.
"""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

import orjson

from suts.simulated.agent_words import PATCHER, AgentWords
from suts.simulated.calls import EDIT_TOOL, NativeCall
from suts.simulated.patch_texts import addition_text, patch_text
from suts.simulated.script_tools import SCRIPT, script_call
from suts.simulated.tool_choice import FREE_FORM, is_object, smallest

Role = str
# The parameters of each role, with the names that agents give them, and those of lists of them.
_PARAMETERS: Final[Mapping[str, tuple[str, ...]]] = {
    "path": ("file_path", "path", "filePath", "absolute_path"),
    "old": ("old_string", "old", "old_str", "oldString", "old_text"),
    "new": ("new_string", "new", "new_str", "newString", "new_text"),
    "content": ("content", "file_text", "contents"),
    "command": ("command", "cmd"),
    "patch": ("input", "patch", "patchText", "patch_text"),
}
_LISTS: Final[Mapping[str, tuple[str, ...]]] = {"path": ("files", "paths"), "command": ("commands",)}
_REASON: Final = "as the task asks"
_ROLES: Final[Mapping[Role, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "read": (("read", "view"), ("path",)),
    "edit": (("edit", "replace"), ("path", "old", "new")),
    "write": (("write", "create"), ("path", "content")),
    "run": (("bash", "run", "shell", "exec"), ("command",)),
    "patch": (("patch",), ("patch",)),
}
# Tools with such a word in their names show something else than texts.
_OTHER: Final = ("image",)


class Tool(Protocol):
    """What plays a role. With `exact` its texts arrive as they are, line ends included."""

    @property
    def exact(self) -> bool:
        """Whether line ends stay."""
        ...

    def call(self, *values: str) -> NativeCall:
        """Return a call with the values of its role."""
        ...


@dataclass(frozen=True, slots=True)
class _Slot:
    """Where a value goes: a parameter, its list of values, or its list of objects with such a field."""

    name: str
    listed: bool = False
    inner: str = ""

    def put(self, value: str) -> object:
        filled: object = {self.inner: value} if self.inner else value
        return [filled] if self.listed else filled


@dataclass(frozen=True, slots=True)
class AgentTool:
    """One tool: its parameters in the order of its role, and the values of others that it requires.

    `folder` is what a path has to begin with, "" where it may be relative; without slots it takes free text. `script`
    is the tool from whose scripts it is called, "" where it is called itself.
    """

    name: str
    slots: tuple[_Slot, ...] = ()
    others: Mapping[str, object] = field(default_factory=dict)
    folder: str = ""
    exact: bool = False
    script: str = ""

    def call(self, *values: str) -> NativeCall:
        """Return a call with these values."""
        if not self.slots:
            free = NativeCall(self.name, values[0], free=True)
            return script_call(self.script, self.name, orjson.dumps(values[0]).decode()) if self.script else free
        first = f"{self.folder}/{values[0]}" if self.folder and not values[0].startswith("/") else values[0]
        pairs = zip(self.slots, (first, *values[1:]), strict=True)
        arguments = dict(self.others) | {slot.name: slot.put(value) for slot, value in pairs}
        written = orjson.dumps(arguments).decode()
        return script_call(self.script, self.name, written) if self.script else NativeCall(self.name, written)


@dataclass(frozen=True, slots=True)
class _Through:
    """A role that is played through another tool, whose only value is written by `form`."""

    tool: AgentTool
    form: Callable[..., str]
    exact: bool = True

    def call(self, *values: str) -> NativeCall:
        return self.tool.call(self.form(*values))


@dataclass(frozen=True, slots=True)
class AgentTurn:
    """Where an agent stands: the tools that it declares, by role, and how many of its calls have been answered.

    `plain_lines`: no result has a carriage return, so a model that has read a file with line ends CR LF writes LF, and
    leaves the rest to the tool. `ending` is the command that ends its work, "" if none is needed.
    """

    tools: Mapping[Role, Tool]
    position: int
    plain_lines: bool = False
    ending: str = ""

    def call(self, role: Role, values: tuple[str, ...]) -> NativeCall:
        """Return a call of the tool of a role."""
        path, *texts = values
        plain = self.plain_lines and not self.tools[role].exact
        texts = [text.replace("\r\n", "\n") for text in texts] if plain else texts
        return self.tools[role].call(path, *texts)


def agent_turn(
    declared: Mapping[str, Mapping[str, object]], results: Sequence[str], words: AgentWords | None = None
) -> AgentTurn | None:
    """Return the turn of a request with these tools, results of calls, and words of the agent's instructions.

    None without tools to read and to change files.
    """
    words = words or AgentWords()
    matches = {role: tool for role in _ROLES if (tool := _tool_of(role, declared, words.folder)) is not None}
    tools: dict[Role, Tool] = {role: tool for role, tool in matches.items() if role != "patch"}
    if (patcher := matches.get("patch")) is not None:
        tools["patch"] = _Through(patcher, patch_text)
    if (shell := matches.get("run")) is not None:
        tools = _by_shell(shell, words) | tools
    elif patcher is not None:
        # It ends each text with a line end, which a shell does not.
        tools.setdefault("write", _Through(patcher, addition_text))
    is_agent = "read" in tools and not tools.keys().isdisjoint(("edit", "write")) and EDIT_TOOL not in declared
    plain = not any("\r" in text for text in results)
    return AgentTurn(tools, len(results), plain, words.ending if shell else "") if is_agent else None


def _by_shell(shell: AgentTool, words: AgentWords) -> dict[Role, Tool]:
    """Return the roles that the shell of an agent can play."""
    patching: dict[Role, Tool] = {"patch": _Through(shell, _patching)} if words.patches else {}
    return {"read": _Through(shell, _reading), "write": _Through(shell, _writing), **patching}


def _reading(path: str) -> str:
    return f"cat {shlex.quote(path)}"


def _writing(path: str, text: str) -> str:
    return f"printf '%s' {shlex.quote(text)} > {shlex.quote(path)}"


def _patching(path: str, before: str, after: str) -> str:
    patch = patch_text(path, before, after)
    end = "EOF"
    while end in patch.split("\n"):
        end += "_"
    return f"{PATCHER} <<'{end}'\n{patch}\n{end}"


def call_results(turns: object) -> list[str]:
    """Return the texts of the results of calls that a conversation holds, over whichever wire."""
    results: list[str] = []
    for turn in filter(is_object, turns if isinstance(turns, list) else []):
        content = turn.get("content")
        if turn.get("role") == "tool":
            results.append(_text(content))
        elif turn.get("type") in {"function_call_output", "custom_tool_call_output"}:
            results.append(_text(turn.get("output")))
        elif isinstance(content, list):
            parts = (part for part in filter(is_object, content) if part.get("type") == "tool_result")
            results += [_text(part.get("content")) for part in parts]
    return results


def _text(content: object) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in filter(is_object, content))
    return content if isinstance(content, str) else ""


def _tool_of(role: Role, declared: Mapping[str, Mapping[str, object]], folder: str) -> AgentTool | None:
    words, needed = _ROLES[role]
    for name, schema in declared.items():
        plain = name.lower()
        if not any(word in plain for word in words) or any(word in plain for word in _OTHER):
            continue
        if role == "patch" and schema.get("type") == FREE_FORM["type"]:
            return AgentTool(name, script=str(schema.get(SCRIPT, "")))
        if (tool := _tool(name, schema, needed, folder)) is not None:
            return tool
    return None


def _tool(name: str, schema: Mapping[str, object], needed: Sequence[str], folder: str) -> AgentTool | None:
    """Return the tool of a schema; None where a parameter is missing."""
    properties = schema.get("properties")
    if not is_object(properties):
        return None
    slots = [slot for part in needed if (slot := _slot(part, properties)) is not None]
    if len(slots) < len(needed):
        return None
    required = schema.get("required")
    filled = {slot.name for slot in slots}
    others = [str(other) for other in required if other not in filled] if isinstance(required, list) else []
    absolute = needed[0] == "path" and "absolute" in str(properties[slots[0].name])
    rest = {other: value if (value := smallest(properties.get(other))) != "" else _REASON for other in others}
    script = str(schema.get(SCRIPT, ""))
    return AgentTool(name, tuple(slots), rest, folder if absolute else "", script=script)


def _slot(part: str, properties: Mapping[str, object]) -> _Slot | None:
    """Return where a value of this kind goes, None where there is no such parameter."""
    for name in _PARAMETERS[part]:
        if is_object(schema := properties.get(name)) and schema.get("type") != "array":
            return _Slot(name)
    for name in _LISTS.get(part, ()):
        items = schema.get("items") if is_object(schema := properties.get(name)) else None
        if not is_object(items):
            continue
        fields = items.get("properties")
        if not is_object(fields):
            return _Slot(name, listed=True)
        if (inner := _slot(part, fields)) is not None and not inner.listed:
            return _Slot(name, listed=True, inner=inner.name)
    return None
