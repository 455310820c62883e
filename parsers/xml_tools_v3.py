"""Version 3 of the XML tool grammar: version 2 with function calls around and inside it.

Cline's experimental `parseAssistantMessageV3`, removed on 2025-08-12. The table below maps invokes to tools
and their parameters to ours; all other parameters are dropped. A `MultiEdit` is an edit whose diff is JSON, so
its first replacement line is never marked.
"""

from parsers.function_calls import FunctionCalls, Invoke
from parsers.xml_tools_v2 import GRAMMAR


def _same(*names: str) -> dict[str, str]:
    return {name: name for name in names}


PARSER = FunctionCalls(
    GRAMMAR,
    {
        "AccessMCPResource": Invoke("access_mcp_resource", _same("server_name", "uri")),
        "AskQuestion": Invoke("ask_followup_question", _same("question", "options")),
        "AttemptCompletion": Invoke("attempt_completion", _same("result", "command")),
        "Bash": Invoke("execute_command", _same("command", "requires_approval")),
        "BrowserAction": Invoke("browser_action", _same("action", "url", "coordinate", "text")),
        "Grep": Invoke("search_files", {"pattern": "regex", "path": "path", "include": "file_pattern"}),
        "LS": Invoke("list_files", _same("path"), {"recursive": "false"}),
        "ListCodeDefinitionNames": Invoke("list_code_definition_names", _same("path")),
        "LoadMcpDocumentation": Invoke("load_mcp_documentation", {}),
        "MultiEdit": Invoke("replace_in_file", {"file_path": "path", "edits": "diff"}),
        "NewTask": Invoke("new_task", _same("context")),
        "PlanModeRespond": Invoke("plan_mode_respond", _same("response")),
        "Read": Invoke("read_file", {"file_path": "path"}),
        "UseMCPTool": Invoke("use_mcp_tool", _same("server_name", "tool_name", "arguments")),
        "WebFetch": Invoke("web_fetch", _same("url")),
        "Write": Invoke("write_to_file", {"file_path": "path", "content": "content"}),
    },
)
