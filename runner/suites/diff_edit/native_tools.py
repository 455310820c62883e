"""The tools that diff-edit cases declare natively: the edit tool, and those that it stands beside in a product."""

from collections.abc import Sequence

from runner.run.diff_scoring import EDIT_TOOL
from runner.suites.diff_edit.native_history import native_messages
from suts.sut import Message, Request, Sampling
from suts.tools import Tool

_PATH = "The path of the file, relative to the working folder."
_FOLDER = "The path of the folder, relative to the working folder."


def _tool(name: str, description: str, required: dict[str, str], optional: dict[str, str] | None = None) -> Tool:
    """Return a tool whose arguments are texts."""
    described = {**required, **(optional or {})}
    properties = {key: {"type": "string", "description": text} for key, text in described.items()}
    schema = {
        "type": "object",
        "properties": properties,
        "required": [*required],
        "additionalProperties": False,
    }
    return Tool(name, description, schema)


REPLACE_IN_FILE = _tool(
    EDIT_TOOL,
    "Changes parts of a file that exists, by one or more SEARCH/REPLACE blocks. A call that breaks the rules of these"
    " blocks changes nothing.",
    {"path": _PATH, "diff": "The SEARCH/REPLACE blocks, one after the other, in the order of the file."},
)
TOOLS = (
    REPLACE_IN_FILE,
    _tool("read_file", "Gives the whole text of a file.", {"path": _PATH}),
    _tool(
        "write_to_file",
        "Writes a whole file: a new one, or one of which hardly a line stays.",
        {"path": _PATH, "content": "The complete text of the file."},
    ),
    _tool(
        "search_files",
        "Looks for a regular expression in all files below a folder.",
        {"path": _FOLDER, "regex": "The pattern."},
        {"file_pattern": "A glob that names the files to look at; all files without it."},
    ),
    _tool(
        "list_files",
        "Lists what is in a folder.",
        {"path": _FOLDER},
        {"recursive": "`true` to list everything below it as well."},
    ),
    _tool("list_code_definition_names", "Names the definitions in a folder's source files.", {"path": _FOLDER}),
    _tool(
        "execute_command",
        "Runs a command line that ends by itself in the user's shell.",
        {"command": "The command line.", "requires_approval": "`true` or `false`: whether it could do harm."},
    ),
    _tool("attempt_completion", "Says that the task is done.", {"result": "What was done."}),
)


def native_request(system: str, messages: Sequence[Message], sampling: Sampling) -> Request:
    """Return the question of a case with native calls. Raises NoNativeFormError."""
    return Request(system, native_messages(messages), sampling, tools=TOOLS)
