"""Tools that an agent lets its model call from a script alone, which is the free text of one tool that it declares.

The description of that tool declares the others in TypeScript, each as `declare const tools: { NAME(...)`: with one
text (`input: string`), or with an object, one parameter per line.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from suts.simulated.calls import NativeCall

_TOOL: Final = re.compile(r"declare const tools: \{ (\w+)\((.*?)\): Promise", re.DOTALL)
_PARAMETER: Final = re.compile(r"^\s*(\w+)(\??): (string|number|boolean)\b", re.MULTILINE)
_TEXT: Final = "input: string"
# In the schema of such a tool, the name of the tool that takes the script.
SCRIPT: Final = "x-script"


def script_tools(name: str, description: str) -> Iterator[tuple[str, Mapping[str, object]]]:
    r"""Yield the tools that the description of a tool declares, with their schemas.

    >>> (tool,) = script_tools("exec", "declare const tools: { run(args: {\n  cmd: string;\n}): Promise<void>; };")
    >>> tool[1]
    {'type': 'object', 'properties': {'cmd': {'type': 'string'}}, 'required': ['cmd'], 'x-script': 'exec'}
    """
    for tool, parameters in _TOOL.findall(description):
        if parameters.strip() == _TEXT:
            yield tool, {"type": "string", SCRIPT: name}
            continue
        stated = _PARAMETER.findall(parameters)
        properties = {parameter: {"type": kind} for parameter, _, kind in stated}
        required = [parameter for parameter, optional, _ in stated if not optional]
        yield tool, {"type": "object", "properties": properties, "required": required, SCRIPT: name}


def script_call(script: str, tool: str, argument: str) -> NativeCall:
    """Return the call of a script that calls a tool with an argument, which is JSON, and shows what it gives."""
    return NativeCall(script, f"text(await tools.{tool}({argument}));", free=True)


def additional_tools(items: Iterable[Mapping[str, object]]) -> Iterator[Mapping[str, object]]:
    """Yield the tools that the input of a request declares in place of its `tools`, those of namespaces too."""
    for item in items:
        if item.get("type") in {"additional_tools", "namespace"} and isinstance(listed := item.get("tools"), list):
            for tool in listed:
                if isinstance(tool, dict):
                    yield from additional_tools([tool]) if tool.get("type") == "namespace" else [tool]
