"""The models of a run: resolved, with the prompts, the parser and the algorithms that their answers are read by."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from diff_apply.result import DiffAlgorithm
from parsers.blocks import Parser
from prompts import Prompt, PromptDetails
from runner.errors import InputError
from runner.run.resolve import Named, choose_algorithms, choose_parser, choose_prompts, choose_suts, split_names
from runner.run.suite import Say
from runner.run.variants import variants_of
from runner.suites.nextedit.answer_calls import FOLDER
from runner.suites.nextedit.answer_reading import Reading, folder_reading
from runner.suites.nextedit.context.contexts import ContextKind
from runner.suites.nextedit.folder_agents import FOLDER_PROMPTS, agent_variants, are_agents, limits_of
from runner.suites.nextedit.options import NextEditOptions
from runner.suites.nextedit.questions import MOST_CHARACTERS
from runner.suites.nextedit.wordings import prompt_part, wording_digest, wording_of
from runner.variant import Variant
from suts.sut import Sut

# What the prompts may say of a machine: there is none.
_DETAILS = PromptDetails(FOLDER, "Linux", "/bin/bash", "/home/user")
# Fewer than nearly any text has, so that a prompt of so many characters has at most the tokens that are permitted.
CHARACTERS_A_TOKEN = 3
# What is retrieved fills every prompt, so without --max-context it is less: about 10,000 tokens.
_RETRIEVED_CHARACTERS = 36_000
# What a question takes without edits and files.
_LEAST_QUESTION = 2000


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The models of a run, and how they are asked and read; the first algorithm decides how replays go on.

    Without a parser they are coding agents.
    """

    suts: tuple[Sut, ...]
    prompts: tuple[Prompt, ...]
    parser: Named[Parser] | None
    algorithms: tuple[Named[DiffAlgorithm], ...]
    options: NextEditOptions

    def readings(self, prompt: Prompt) -> Iterator[Reading]:
        """Yield how answers are asked for with a prompt and read, by each algorithm."""
        options = self.options
        if self.parser is None:
            yield folder_reading(options.sampling, options.valid_attempts_per_step, wording_of(prompt))
            return
        for algorithm in self.algorithms:
            yield Reading(
                prompt.render(_DETAILS),
                self.parser.impl,
                algorithm.impl,
                options.sampling,
                options.valid_attempts_per_step,
                (self.parser.name, algorithm.name),
                self.characters(prompt),
                wording=wording_of(prompt),
            )

    def characters(self, prompt: Prompt) -> int:
        """Return the maximum characters of a question besides a system prompt."""
        return most_characters(self.options, len(prompt.render(_DETAILS)))

    @property
    def identity(self) -> dict[str, object]:
        """How models are asked, for the identity of a run."""
        return {
            "prompts": [f"{prompt.name}@{prompt.digest}" for prompt in self.prompts],
            "question": [wording_digest(wording_of(prompt), self.characters(prompt)) for prompt in self.prompts],
            "parser": "" if self.parser is None else f"{self.parser.name}@{self.parser.digest}",
            "diff_apply": [f"{algorithm.name}@{algorithm.digest}" for algorithm in self.algorithms],
            "valid_attempts_per_step": self.options.valid_attempts_per_step,
            "temperature": self.options.temperature,
            "max_tokens": self.options.max_tokens,
            "thinking_budget": self.options.thinking_budget,
            **(limits_of(self.suts) if self.agents else {}),
        }

    @property
    def agents(self) -> bool:
        """Whether the systems are coding agents."""
        return self.parser is None

    def variants(self, sut: Sut, prompt: Prompt) -> tuple[Variant, ...]:
        """Return how a model with a prompt is recorded, by each algorithm."""
        if self.parser is None:
            return agent_variants(sut, prompt_part(prompt))
        return tuple(variants_of((sut,), (prompt_part(prompt),), self.parser, self.algorithms))


def most_characters(options: NextEditOptions, system: int = 0) -> int:
    """Return the maximum characters of a question beside a system prompt of so many."""
    if options.max_context is not None:
        return options.max_context * CHARACTERS_A_TOKEN - system
    return _RETRIEVED_CHARACTERS if ContextKind(options.visible) is ContextKind.RETRIEVED else MOST_CHARACTERS


def choose_models(ids: Sequence[str], options: NextEditOptions, say: Say) -> ModelChoice | None:
    """The models of these ids, None where there is none. Raises InputError for one that cannot be asked."""
    if not ids:
        return None
    if are_agents(ids):
        options.say_unused(say, "prompts", "parser", "diff_apply", "max_context")
        return ModelChoice(choose_suts(ids, options.builder), FOLDER_PROMPTS, None, (), options)
    prompts = choose_prompts(split_names(options.prompts, "--prompts"), say, "--prompts")
    algorithms = choose_algorithms(split_names(options.diff_apply, "--diff-apply"), say)
    parser = choose_parser(options.parser, say)
    suts = choose_suts(ids, options.builder, options.sampling)
    choice = ModelChoice(suts, prompts, parser, algorithms, options)
    longest = max(prompts, key=lambda prompt: len(prompt.render(_DETAILS)))
    if choice.characters(longest) < _LEAST_QUESTION:
        least = -(-(len(longest.render(_DETAILS)) + _LEAST_QUESTION) // CHARACTERS_A_TOKEN)
        raise InputError(
            f"--max-context {options.max_context}: leaves no room beside the system prompt {longest.name};"
            f" give at least {least}"
        )
    return choice
