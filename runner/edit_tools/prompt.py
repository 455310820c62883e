"""The system prompt of an edit tool: the same words for each, around the tool's declaration."""

from prompts import Prompt
from runner.edit_tools.tool import EditTool

HEADING = "# How to edit\n\n"
_WORDING = """You are an experienced software engineer who changes code in the project of a user until the task is done.
You write the code that the people who own this project would have written.

Files are displayed to you as they are. Edit by the one way described here, in one answer: a sentence on what you
change, then the edit. Change what the task asks for and nothing else, and copy what stays character by character.

{section}

# The user's machine

- folder of the project, to which paths are relative: {{{{cwd_value}}}}
- system: {{{{os_value}}}}; shell: {{{{shell_value}}}}
"""


_CALLED = """Edit by calling the tool `{name}`, once. Write no edit in the text of your message.

{about}"""


def section_of(tool: EditTool) -> str:
    """Return the part of the prompt that is about the tool: no other tool has it, nor this one called otherwise."""
    declared = tool.declaration
    called = _CALLED.format(name=declared.name, about=declared.called)
    return f"{HEADING}{called if tool.is_native else declared.text}"


def prompt_of(tool: EditTool) -> Prompt:
    """Return the prompt of a tool, under the name that says how it is called."""
    return Prompt(tool.prompt_name, _WORDING.format(section=section_of(tool)))
