"""What edit tools make of the diff-edit suite: prompts and variants of their own, and histories in their form."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from parsers.blocks import Parser
from prompts import Prompt
from runner.digests import composition_digest
from runner.edit_tools import DEFAULT_EDIT_TOOL, EDIT_TOOLS
from runner.edit_tools.history import UnrenderableError, rendered
from runner.edit_tools.prompt import prompt_of
from runner.edit_tools.tool import EditTool
from runner.errors import InputError
from runner.run.answer_scoring import AnswerScoring
from runner.run.resolve import Named
from runner.run.variants import PartName, variant_of
from runner.suites.diff_edit.cases import DiffEditCase
from runner.variant import Variant
from suts.sut import Message, Sut


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

    @property
    def identity(self) -> dict[str, object]:
        """What makes two sessions the same run; nothing without a tool but the XML one."""
        if not self.tools:
            return {}
        default = [DEFAULT_EDIT_TOOL] if self.has_default else []
        return {"edit_tools": [*default, *(f"{name}@{digest_of(tool)}" for name, tool in self.tools.items())]}


def choose_tools(names: Iterable[str], *, recorded: bool = False) -> ToolChoice:
    """Return the edit tools of these names; recorded messages have the default one. Raises InputError."""
    chosen = list(dict.fromkeys(names))
    for name in chosen:
        if name != DEFAULT_EDIT_TOOL and name not in EDIT_TOOLS:
            known = ", ".join((DEFAULT_EDIT_TOOL, *EDIT_TOOLS))
            raise InputError(f"--edit-tool: {name!r} is not known; give one of {known}")
    if recorded and chosen != [DEFAULT_EDIT_TOOL]:
        raise InputError(f"--edit-tool: recorded messages are {DEFAULT_EDIT_TOOL}'s; leave it out with --replay")
    tools = {name: EDIT_TOOLS[name] for name in chosen if name in EDIT_TOOLS}
    return ToolChoice(tools, DEFAULT_EDIT_TOOL in chosen)


def digest_of(tool: EditTool) -> str:
    """Return the digest of a tool's reading and application."""
    return composition_digest(tool.name, (tool.parser, tool.leaves))


def parts_of(tool: EditTool) -> tuple[Named[Parser], PartName]:
    """Return the parser and the algorithm of a tool as a variant names them."""
    digest = digest_of(tool)
    return Named(tool.name.removesuffix("+"), tool.parser, digest), PartName(tool.name, digest)


def scoring_with(tool: EditTool, scoring: AnswerScoring) -> AnswerScoring:
    """Return how the answers to the prompt of a tool are scored."""
    parser, algorithm = parts_of(tool)
    return replace(scoring, parser=parser, algorithms=(Named(tool.name, tool.algorithm, algorithm.digest),))


def scorings_by_prompt(variants: Iterable[Variant], scoring: AnswerScoring) -> dict[str, AnswerScoring]:
    """Return how answers are scored, for each prompt that is that of a tool, from the variants of a run."""
    return {
        variant.prompt: scoring_with(EDIT_TOOLS[variant.edit_tool], scoring)
        for variant in variants
        if variant.edit_tool in EDIT_TOOLS
    }


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
        Message("assistant" if role == "assistant" else "user", text, pictures)
        for (role, text), pictures in zip(new, images, strict=True)
    )


def why_unrenderable(case: DiffEditCase, choice: ToolChoice) -> str:
    """Return why the history of a case cannot be written for one of the tools, "" if it can be for each."""
    for name, tool in choice.tools.items():
        try:
            messages_for(case, tool)
        except UnrenderableError as error:
            return f"its history cannot be written for {name}: {error} (--edit-tool)"
    return ""
