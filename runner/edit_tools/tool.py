"""An edit tool: how files are displayed, how it is declared, how answers are read and applied, what goes back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from diff_apply.result import DiffAlgorithm, DiffError
from parsers.forms.native_form import NativeForm
from parsers.forms.streaming import FormParser
from runner.calls import native_name
from runner.edit_tools.foreign_result import ForeignApply

Show = Callable[[str, str], str]
"""Maps (path, text) to how a file stands in a conversation."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """How a tool is declared: Markdown for a prompt whose answers are text, JSON schema for native calls.

    `called` is what the prompt says of it where calls are native.
    """

    name: str
    text: str
    description: str
    parameters: Mapping[str, Any]
    called: str

    @property
    def schema(self) -> dict[str, Any]:
        """The name, description and parameters of the tool, as native calls declare it."""
        return {"name": self.name, "description": self.description, "parameters": self.parameters}


@dataclass(frozen=True, slots=True)
class EditTool:
    """One way of editing, the same five parts for each; `write` gives a right answer to (path, before, after).

    `leaves` are what its results depend on: functions, or a program. `foreign` asks the program of a foreign tool.

    The text of a call, from which `algorithm` reads the edit, is either that of the answer or native arguments (JSON).
    `write` gives the text form, also of a tool with native calls, the parser of which reads transcripts.
    """

    name: str
    show: Show
    declaration: Declaration
    parser: FormParser | NativeForm
    algorithm: DiffAlgorithm
    explain: Callable[[DiffError], str]
    write: Callable[[str, str, str], str]
    leaves: tuple[object, ...]
    foreign: ForeignApply | None = None

    @property
    def is_native(self) -> bool:
        """Whether it is called natively."""
        return isinstance(self.parser, NativeForm)

    @property
    def prompt_name(self) -> str:
        """The name of its prompt, on record."""
        return native_name(self.name) if self.is_native else self.name

    @property
    def form_name(self) -> str:
        """The name of its parser, on record: that of the original, also for the checked form."""
        return self.prompt_name.removesuffix("+")


def rest(tools: Mapping[str, EditTool]) -> None:
    """End the processes of foreign tools; they start again when they are asked."""
    for tool in tools.values():
        if tool.foreign is not None:
            tool.foreign.rest()
