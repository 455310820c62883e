"""How answers in the form of an edit tool are scored: by its parser and application, or by its program."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from runner.calls import NATIVE, calls_of
from runner.edit_tools import EDIT_TOOLS, native
from runner.edit_tools.tool import EditTool
from runner.run.answer_scoring import AnswerScoring
from runner.run.resolve import Named
from runner.suites.diff_edit.foreign_scoring import ForeignScoring, ScoresAnswers
from runner.suites.diff_edit.tools import parts_of
from runner.variant import Variant


def scoring_with(tool: EditTool, scoring: AnswerScoring) -> ScoresAnswers:
    """Return how the answers to the prompt of a tool are scored."""
    parser, algorithm = parts_of(tool)
    if tool.foreign is not None:
        return ForeignScoring(tool.name, tool.parser, tool.foreign, scoring.validity, scoring.pool)
    return replace(scoring, parser=parser, algorithms=(Named(tool.name, tool.algorithm, algorithm.digest),))


def scorings_by_prompt(
    variants: Iterable[Variant], scoring: AnswerScoring, foreign: Mapping[str, EditTool]
) -> dict[str, ScoresAnswers]:
    """Return how answers are scored, for each prompt that is that of a tool, from the variants of a run."""
    tools = tools_by_prompt(variants, foreign)
    return {prompt: scoring_with(tool, scoring) for prompt, tool in tools.items()}


def tools_by_prompt(variants: Iterable[Variant], foreign: Mapping[str, EditTool]) -> dict[str, EditTool]:
    """Return the tools of the variants of a run but the default one, by their prompts."""
    tools = {**EDIT_TOOLS, **foreign}
    return {
        variant.prompt: _called(tools[variant.edit_tool], variant.prompt)
        for variant in variants
        if variant.edit_tool in tools
    }


def _called(tool: EditTool, prompt: str) -> EditTool:
    return native(tool) if calls_of(prompt) == NATIVE else tool
