"""Version 2 of the XML tool grammar with the vocabulary of Cline's product at revision 2f8a4525a4.

The same algorithm as the evaluation's form, with more tools and parameters, so that some answers are read differently:
for example `<task_progress>` inside a call.
"""

from dataclasses import replace

from parsers.tag_scanner import XmlTools
from parsers.xml_tools_v2 import GRAMMAR, PARAMS, TOOLS

PARSER = XmlTools(
    replace(
        GRAMMAR,
        tools=TOOLS
        | {
            "act_mode_respond",
            "apply_patch",
            "focus_chain",
            "generate_explanation",
            "summarize_task",
            "web_search",
        },
        params=PARAMS
        | {
            "absolutePath",
            "allowed_domains",
            "blocked_domains",
            "from_ref",
            "input",
            "needs_more_exploration",
            "prompt",
            "query",
            "task_progress",
            "timeout",
            "to_ref",
        },
    )
)
