"""Edit tools by name: how each displays files, declares itself, reads answers, applies them and refuses them."""

from dataclasses import replace
from typing import Final

from diff_apply.result import DiffError
from parsers.forms.answers import FORMS
from parsers.forms.native_form import NATIVE_FORMS, NativeForm
from parsers.forms.streaming import FormParser
from runner.calls import native_name
from runner.edit_tools import showing
from runner.edit_tools.application import EDITS, LEAVES, ToolAlgorithm
from runner.edit_tools.checks import CheckedAlgorithm
from runner.edit_tools.declarations import DECLARATIONS
from runner.edit_tools.tool import EditTool, Show
from runner.edit_tools.writing import WRITERS

# Today's tool of the diff-edit suite: its prompts, parsers and algorithms are chosen by options of their own.
DEFAULT_EDIT_TOOL: Final = "replace-in-file"

_SHOWS: Final[dict[str, Show]] = {
    "aider-diff": showing.fenced,
    "aider-udiff": showing.fenced,
    "aider-whole": showing.fenced,
    "apply-patch": showing.fenced,
    "v4a": showing.fenced,
    "text-editor": showing.with_wide_numbers,
    "opencode-edit": showing.with_numbers,
    "hashline": showing.with_line_hashes,
    "hashline-patch": showing.with_file_hash,
    "line-range": showing.with_numbers,
}


def _refusal(error: DiffError) -> str:
    return f"The edit was refused and the file is as it was: {error}. Correct the edit and send it once more."


def _tool(name: str, *, checked: bool) -> EditTool:
    return EditTool(
        name=name + "+" * checked,
        show=_SHOWS[name],
        declaration=DECLARATIONS[name],
        parser=FORMS[name],
        algorithm=CheckedAlgorithm(EDITS[name]) if checked else ToolAlgorithm(EDITS[name]),
        explain=_refusal,
        write=WRITERS[name],
        leaves=LEAVES[name],
    )


def native(tool: EditTool) -> EditTool:
    """Return a tool of these as it is when its calls are native."""
    return replace(tool, parser=NATIVE_FORMS[tool.name.removesuffix("+")])


def forms_by_parser() -> dict[str, FormParser | NativeForm]:
    """Return what reads the answers of all tools, by the names of their parsers on record."""
    return {**FORMS, **{native_name(name): form for name, form in NATIVE_FORMS.items()}}


# Each original as it is, and its checked form, which refuses what the original would damage.
EDIT_TOOLS: Final[dict[str, EditTool]] = {
    tool.name: tool for name in EDITS for tool in (_tool(name, checked=False), _tool(name, checked=True))
}
