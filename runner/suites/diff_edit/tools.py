"""What edit tools make of the diff-edit suite: prompts and variants of their own, and histories in their form."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from parsers.blocks import Parser
from prompts import Prompt
from runner.calls import NATIVE, XML, is_foreign
from runner.digests import composition_digest
from runner.edit_tools import DEFAULT_EDIT_TOOL, EDIT_TOOLS, native
from runner.edit_tools.history import UnrenderableError, rendered
from runner.edit_tools.prompt import prompt_of
from runner.edit_tools.tool import EditTool, rest
from runner.errors import InputError
from runner.run.resolve import Named
from runner.run.variants import PartName, variant_of
from runner.suites.diff_edit.cases import DiffEditCase
from runner.variant import Variant
from suts.sut import Message, Sut
from suts.tools import Tool

Start = Callable[[Sequence[str]], Mapping[str, EditTool]]
"""Maps names of foreign tools to the tools, each under the name that was given. Raises InputError."""


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """The tools of a run by the name of their prompt; `has_default` says whether the XML tool is one of them."""

    tools: Mapping[str, EditTool]
    has_default: bool = True

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """The prompts of the tools."""
        return tuple(map(prompt_of, self.tools.values()))

    @property
    def parsers(self) -> dict[str, Parser]:
        """What reads the answers to each of the prompts."""
        return {name: tool.parser for name, tool in self.tools.items()}

    def rest(self) -> None:
        """End the processes of foreign tools; they start again when they are asked."""
        rest(self.tools)

    @property
    def identity(self) -> dict[str, object]:
        """What makes two sessions the same run; nothing without a tool but the XML one."""
        if not self.tools:
            return {}
        default = [DEFAULT_EDIT_TOOL] if self.has_default else []
        return {"edit_tools": [*default, *(f"{name}@{digest_of(tool)}" for name, tool in self.tools.items())]}


def choose_tools(
    names: Iterable[str], start: Start, *, recorded: bool = False, calls: Sequence[str] = (XML,)
) -> ToolChoice:
    """Return the edit tools of these names, each as it is called; recorded messages have the default one.

    `start` gives those that are programs. Raises InputError.
    """
    chosen = list(dict.fromkeys(names))
    for name in chosen:
        if name != DEFAULT_EDIT_TOOL and name not in EDIT_TOOLS and not is_foreign(name):
            known = ", ".join((DEFAULT_EDIT_TOOL, *EDIT_TOOLS))
            raise InputError(f"--edit-tool: {name!r} is not known; give one of {known}, or exec:CMD")
    if recorded and chosen != [DEFAULT_EDIT_TOOL]:
        raise InputError(f"--edit-tool: recorded messages are {DEFAULT_EDIT_TOOL}'s; leave it out with --replay")
    programs = [name for name in chosen if is_foreign(name)]
    if programs and NATIVE in calls:
        raise InputError(
            f"--calls native: {programs[0]} is a program, which is called in the text alone; leave out one of the two"
        )
    foreign = start(programs)
    tools = {**EDIT_TOOLS, **foreign}
    named = [tools[name] for name in chosen if name in tools]
    faces = [tool if way == XML else native(tool) for way in calls for tool in named]
    return ToolChoice({tool.prompt_name: tool for tool in faces}, DEFAULT_EDIT_TOOL in chosen)


def check_writing(suts: Iterable[Sut], choice: ToolChoice) -> None:
    """Raise InputError for simulated models where a foreign tool writes no calls, which they answer with."""
    silent = [tool.name for tool in choice.tools.values() if tool.foreign is not None and not tool.foreign.writes]
    for sut in suts:
        if silent and sut.endpoint.simulated:
            raise InputError(
                f"{sut.name}: answers with calls that the tool writes, and {silent[0]} writes none; "
                f"let it answer `write` and declare `writes`, or ask another model"
            )


def digest_of(tool: EditTool) -> str:
    """Return the digest of a tool's reading and application."""
    return composition_digest(tool.name, (tool.parser, tool.leaves))


def parts_of(tool: EditTool) -> tuple[Named[Parser], PartName]:
    """Return the parser and the algorithm of a tool as a variant names them; the latter is one for all calls."""
    applied = digest_of(EDIT_TOOLS[tool.name] if tool.is_native else tool)
    return Named(tool.form_name, tool.parser, digest_of(tool)), PartName(tool.name, applied)


def declared_by(tool: EditTool) -> tuple[Tool, ...]:
    """Return what a request declares of a tool: nothing if it is called in the text."""
    about = tool.declaration
    return (Tool(about.name, about.description, about.parameters),) if tool.is_native else ()


def tool_variants(suts: Sequence[Sut], choice: ToolChoice) -> Iterator[Variant]:
    """Yield the variants of the tools but the XML one."""
    for sut in suts:
        for tool, prompt in zip(choice.tools.values(), choice.prompts, strict=True):
            yield replace(variant_of(sut, prompt, *parts_of(tool)), edit_tool=tool.name)


def messages_for(case: DiffEditCase, tool: EditTool) -> tuple[Message, ...]:
    """Return the conversation of a case in the form of a tool. Raises UnrenderableError."""
    turns = [(message.role, message.text) for message in case.messages]
    new = rendered([(str(role), text) for role, text in turns], tool, case.file_path, case.file_contents)
    images = [message.images for message in case.messages]
    images += [()] * (len(new) - len(images))
    return tuple(
        Message("assistant" if turn.role == "assistant" else "user", turn.text, pictures, turn.calls, turn.results)
        for turn, pictures in zip(new, images, strict=True)
    )


def why_unrenderable(case: DiffEditCase, choice: ToolChoice) -> str:
    """Return why the history of a case cannot be written for one of the tools, "" if it can be for each."""
    for name, tool in choice.tools.items():
        try:
            messages_for(case, tool)
        except UnrenderableError as error:
            return f"its history cannot be written for {name}: {error} (--edit-tool)"
    return ""
