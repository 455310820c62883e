"""Named parsers from model output to blocks: they accept any text, complete or still arriving."""

from parsers import line_number, native_calls, xml_tools_v1, xml_tools_v2, xml_tools_v2_core, xml_tools_v3
from parsers.blocks import Parser

# A parser's module has its name, with underscores.
PARSERS: dict[str, Parser] = {
    "xml-tools-v2": xml_tools_v2.PARSER,
    "xml-tools-v2-core": xml_tools_v2_core.PARSER,
    "xml-tools-v1": xml_tools_v1.PARSER,
    "xml-tools-v3": xml_tools_v3.PARSER,
    "line-number": line_number.PARSER,
    "native-calls": native_calls.PARSER,
}
DEFAULT_PARSER = "xml-tools-v2"
# What Cline's evaluation calls these.
ALIASES = {
    "parseAssistantMessageV1": "xml-tools-v1",
    "parseAssistantMessageV2": "xml-tools-v2",
    "parseAssistantMessageV3": "xml-tools-v3",
}
