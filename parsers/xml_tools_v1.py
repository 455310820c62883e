"""Version 1 of the XML tool grammar: Cline's `parseAssistantMessageV1`, removed on 2025-08-07 as unused.

It differs from version 2 only in its content rule, which applies at every `</content>` that closes no parameter, so
also in calls that never close, and to `new_rule` too.
"""

from parsers.tag_scanner import Grammar, XmlTools
from parsers.trim import js_trim
from parsers.xml_tools_v2 import PARAMS, TOOLS

# The original adds the length of "<content>" to its index, which is -1 if the tag is missing.
_OFFSET_WITHOUT_TAG = 8


def content_before(call: str) -> str:
    """Return the content that a stray `</content>` ends, from the call's text before that tag.

    Without `<content>`, the original takes the text from its eighth UTF-16 code unit; this is reproduced. It may
    split a character beyond U+FFFF, so that its second surrogate remains alone.
    """
    first = call.find("<content>")
    if first >= 0:
        return js_trim(call[first + len("<content>") :])
    units = call.encode("utf-16-le", "surrogatepass")[2 * _OFFSET_WITHOUT_TAG :]
    return js_trim(units.decode("utf-16-le", "surrogatepass"))


PARSER = XmlTools(Grammar(TOOLS, PARAMS, frozenset({"write_to_file", "new_rule"}), content_before, at_strays=True))
