"""Version 2 of the XML tool grammar, in the form of Cline's diff-edit evaluation: the default.

Cline's `parseAssistantMessageV2` as the evaluation kept it (`parse-assistant-message-06-06-25`). In its content
rule the value of a `write_to_file` reaches from the first `<content>` to the last `</content>` of the call, so
that a file may itself contain the closing tag.
"""

from parsers.tag_scanner import Grammar, XmlTools
from parsers.trim import js_trim

TOOLS = frozenset(
    {
        "access_mcp_resource",
        "ask_followup_question",
        "attempt_completion",
        "browser_action",
        "condense",
        "execute_command",
        "list_code_definition_names",
        "list_files",
        "load_mcp_documentation",
        "new_rule",
        "new_task",
        "plan_mode_respond",
        "read_file",
        "replace_in_file",
        "report_bug",
        "search_files",
        "use_mcp_tool",
        "web_fetch",
        "write_to_file",
    }
)
PARAMS = frozenset(
    {
        "action",
        "additional_context",
        "api_request_output",
        "arguments",
        "command",
        "content",
        "context",
        "coordinate",
        "diff",
        "file_pattern",
        "options",
        "path",
        "question",
        "recursive",
        "regex",
        "requires_approval",
        "response",
        "result",
        "server_name",
        "steps_to_reproduce",
        "text",
        "title",
        "tool_name",
        "uri",
        "url",
        "what_happened",
    }
)


def widest_content(call: str) -> str | None:
    """Return the text between the first `<content>` and the last `</content>` of a call; None if either is missing."""
    first, last = call.find("<content>"), call.rfind("</content>")
    return js_trim(call[first + len("<content>") : last]) if 0 <= first < last else None


GRAMMAR = Grammar(TOOLS, PARAMS, frozenset({"write_to_file"}), widest_content)
PARSER = XmlTools(GRAMMAR)
