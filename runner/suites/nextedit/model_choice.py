"""The models of a run: resolved, with the prompt, parser and algorithm that their answers are read by, and the work."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from diff_apply.result import DiffAlgorithm
from parsers.blocks import Parser
from prompts import Prompt, PromptDetails
from runner.errors import InputError
from runner.run.plan import Workload
from runner.run.resolve import Named, choose_algorithms, choose_parser, choose_prompts, choose_suts
from runner.run.suite import Say
from runner.run.variants import variants_of
from runner.suites.nextedit.answer_calls import FOLDER
from runner.suites.nextedit.answer_reading import Reading
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.editor import EditorSession, Made
from runner.suites.nextedit.options import NextEditOptions
from runner.suites.nextedit.prompting import MOST_CHARACTERS, recommend_message, wording_digest
from runner.tokens import token_counter
from runner.variant import Variant
from suts.sut import Sut

# What the prompts may say of a machine: there is none.
_DETAILS = PromptDetails(FOLDER, "Linux", "/bin/bash", "/home/user")
# What an answer is taken to be in an estimate: a call with a small edit, and a sentence before it.
_ANSWER_TOKENS = 250
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


def workload_of(choice: ModelChoice | None, commits: Iterable[Commit]) -> Workload:
    """What a model is asked over all commits: at each step for recommendations, and at most once for a given place."""
    if choice is None:
        return Workload(0, 0, 0, 0)
    each_step = choice.options.valid_attempts_per_step + 1
    questions = tokens = 0
    for commit, prompt_tokens in longest_prompts(choice, commits):
        requests = (len(commit.edits) - 1) * each_step
        questions += requests
        tokens += requests * prompt_tokens
    return Workload(questions, tokens, _ANSWER_TOKENS, questions)


def longest_prompts(choice: ModelChoice, commits: Iterable[Commit]) -> Iterator[tuple[Commit, int]]:
    """Each commit with the tokens of a prompt at least as long as any that is sent about it."""
    count = token_counter(exact=False).count
    fixed = count(choice.reading.system)
    for commit in commits:
        yield commit, fixed + count(_longest_question(commit)[: choice.characters])


def _longest_question(commit: Commit) -> str:
    """A text at least as long as any question about a commit: all its edits, and every line that files ever have."""
    past_edits = tuple(Made(edit, edit.parent) for edit in commit.edits)
    texts = {touched.path: touched.before or "" for touched in commit.files}
    for edit in commit.edits:
        texts[edit.path] += "".join(edit.after)
    return recommend_message(EditorSession(commit.case_id, 1, past_edits, texts, message=commit.message), sys.maxsize)
