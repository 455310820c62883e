"""The models of a run: resolved, with the prompt, parser and algorithm that their answers are read by."""

from collections.abc import Sequence
from dataclasses import dataclass

from diff_apply.result import DiffAlgorithm
from parsers.blocks import Parser
from prompts import Prompt, PromptDetails
from runner.errors import InputError
from runner.run.resolve import Named, choose_algorithms, choose_parser, choose_prompts, choose_suts
from runner.run.suite import Say
from runner.run.variants import variants_of
from runner.suites.nextedit.answer_calls import FOLDER
from runner.suites.nextedit.answer_reading import Reading
from runner.suites.nextedit.options import NextEditOptions
from runner.suites.nextedit.prompting import MOST_CHARACTERS, wording_digest
from runner.variant import Variant
from suts.sut import Sut

# What the prompts may say of a machine: there is none.
_DETAILS = PromptDetails(FOLDER, "Linux", "/bin/bash", "/home/user")
# Fewer than nearly any text has, so that a prompt of so many characters has at most the tokens that are permitted.
_CHARACTERS_A_TOKEN = 3
# What a question takes without edits and files.
_LEAST_QUESTION = 2000


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The models of a run, and how they are asked and read."""

    suts: tuple[Sut, ...]
    prompt: Prompt
    parser: Named[Parser]
    algorithm: Named[DiffAlgorithm]
    options: NextEditOptions

    @property
    def reading(self) -> Reading:
        """How answers are asked for and read."""
        options = self.options
        return Reading(
            self.prompt.render(_DETAILS),
            self.parser.impl,
            self.algorithm.impl,
            options.sampling,
            options.valid_attempts_per_step,
            (self.parser.name, self.algorithm.name),
            self.characters,
        )

    @property
    def characters(self) -> int:
        """The maximum characters of a prompt besides the system prompt."""
        if self.options.max_context is None:
            return MOST_CHARACTERS
        return self.options.max_context * _CHARACTERS_A_TOKEN - len(self.prompt.render(_DETAILS))

    @property
    def identity(self) -> dict[str, object]:
        """How models are asked, for the identity of a run."""
        return {
            "prompt": f"{self.prompt.name}@{self.prompt.digest}",
            "question": wording_digest(self.characters),
            "parser": f"{self.parser.name}@{self.parser.digest}",
            "diff_apply": f"{self.algorithm.name}@{self.algorithm.digest}",
            "valid_attempts_per_step": self.options.valid_attempts_per_step,
            "temperature": self.options.temperature,
            "max_tokens": self.options.max_tokens,
            "thinking_budget": self.options.thinking_budget,
        }

    def variant(self, sut: Sut) -> Variant:
        """How a model is recorded."""
        (variant,) = variants_of((sut,), (self.prompt,), self.parser, (self.algorithm,))
        return variant


def choose_models(ids: Sequence[str], options: NextEditOptions, say: Say) -> ModelChoice | None:
    """The models of these ids, None where there is none. Raises InputError for one that cannot be asked."""
    if not ids:
        return None
    (prompt,) = choose_prompts([options.prompts], say, "--prompts")
    (algorithm,) = choose_algorithms([options.diff_apply], say)
    parser = choose_parser(options.parser, say)
    choice = ModelChoice(choose_suts(ids, options.builder, options.sampling), prompt, parser, algorithm, options)
    if choice.characters < _LEAST_QUESTION:
        least = -(-(len(prompt.render(_DETAILS)) + _LEAST_QUESTION) // _CHARACTERS_A_TOKEN)
        raise InputError(
            f"--max-context {options.max_context}: leaves no room beside the system prompt {prompt.name}; give at least"
            f" {least}"
        )
    return choice
