"""Model output to blocks: named parsers, total on any text, fit for half a stream."""

import hashlib
import re
from functools import cache
from importlib.resources import files

from parsers import line_number, xml_tools_v1, xml_tools_v2, xml_tools_v2_core, xml_tools_v3
from parsers.blocks import Parser

# A parser's module has its name, with underscores.
PARSERS: dict[str, Parser] = {
    "xml-tools-v2": xml_tools_v2.PARSER,
    "xml-tools-v2-core": xml_tools_v2_core.PARSER,
    "xml-tools-v1": xml_tools_v1.PARSER,
    "xml-tools-v3": xml_tools_v3.PARSER,
    "line-number": line_number.PARSER,
}
DEFAULT_PARSER = "xml-tools-v2"
# What Cline's evaluation calls these.
ALIASES = {
    "parseAssistantMessageV1": "xml-tools-v1",
    "parseAssistantMessageV2": "xml-tools-v2",
    "parseAssistantMessageV3": "xml-tools-v3",
}

_IMPORT = re.compile(r"^from parsers\.(\w+) import ", re.MULTILINE)


@cache
def digest(name: str) -> str:
    """Eight hex digits of a registered parser's name and sources: its module and those that it is made of.

    Raises KeyError for a name that is not in `PARSERS`.
    """
    if name not in PARSERS:
        raise KeyError(name)
    sources: dict[str, str] = {}
    wanted = [name.replace("-", "_")]
    while wanted:
        module = wanted.pop()
        if module not in sources:
            sources[module] = files("parsers").joinpath(f"{module}.py").read_text(encoding="utf-8")
            wanted += _IMPORT.findall(sources[module])
    content = "\0".join((name, *(sources[module] for module in sorted(sources))))
    return hashlib.sha256(content.encode()).hexdigest()[:8]
