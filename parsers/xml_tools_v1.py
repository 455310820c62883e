"""Version 1 of the XML tool grammar: Cline's `parseAssistantMessageV1`, removed on 2025-08-07 as unused.

It differs from version 2 in its content rule alone, which acts at once at every `</content>` that closes no
parameter, so also in calls that never close, and for `new_rule` too.
"""

from parsers.tag_scanner import Grammar, XmlTools
from parsers.trim import js_trim
from parsers.xml_tools_v2 import PARAMS, TOOLS

# The original adds the length of "<content>" to the index it was found at, which is -1 where there is none.
_OFFSET_WITHOUT_TAG = 8


def content_before(call: str) -> str:
    """The content as a stray `</content>` finds it, from the call's text before that tag.

    Without any `<content>` the original takes the text from its eighth UTF-16 code unit on; that is kept. It may
    split a character beyond U+FFFF, of which the second surrogate then stays alone.
    """
    first = call.find("<content>")
    if first >= 0:
        return js_trim(call[first + len("<content>") :])
    units = call.encode("utf-16-le", "surrogatepass")[2 * _OFFSET_WITHOUT_TAG :]
    return js_trim(units.decode("utf-16-le", "surrogatepass"))


PARSER = XmlTools(Grammar(TOOLS, PARAMS, frozenset({"write_to_file", "new_rule"}), content_before, at_strays=True))
