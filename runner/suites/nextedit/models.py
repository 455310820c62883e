"""Models as contestants of a run: resolved, with the prompt, parser and algorithm that their answers are read by."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from diff_apply import DEFAULT_ALGORITHM
from parsers import DEFAULT_PARSER
from prompts import PromptDetails
from runner.console import say
from runner.run.options import sut_builder
from runner.run.resolve import choose_algorithms, choose_parser, choose_prompts, choose_suts
from runner.run.variants import variants_of
from runner.suites.nextedit.attempt import NextEdit
from runner.suites.nextedit.commit_replay import Plan
from runner.suites.nextedit.entries import Contestant
from runner.suites.nextedit.prompted import Reading
from runner.suites.nextedit.prompting import wording_digest
from suts.sut import Sampling

# What the prompts may say of a machine: there is none.
_DETAILS = PromptDetails("/project", "Linux", "/bin/bash", "/home/user")


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """How models are asked, as the options say."""

    prompt: str = "basic"
    parser: str = DEFAULT_PARSER
    diff_apply: str = DEFAULT_ALGORITHM
    valid_attempts: int = 1
    temperature: float = 0.0
    max_tokens: int = 8192
    thinking_budget: int = 0
    base_url: str = ""
    insecure_http: bool = False
    provider: str = ""


def models_named(names: Sequence[str], plan: Plan, options: ModelOptions) -> Iterator[Contestant]:
    """The models of these ids. Raises InputError for one that cannot be asked."""
    if not names:
        return
    (prompt,) = choose_prompts([options.prompt], say, "--prompt")
    (algorithm,) = choose_algorithms([options.diff_apply], say)
    parser = choose_parser(options.parser, say)
    sampling = Sampling(
        max_tokens=options.max_tokens,
        temperature=options.temperature,
        seed=plan.seed,
        thinking_budget=options.thinking_budget,
    )
    build = sut_builder(options.provider, options.base_url, plan.seed, insecure_http=options.insecure_http)
    suts = choose_suts(names, build, sampling, "--sut")
    reading = Reading(prompt.render(_DETAILS), parser.impl, algorithm.impl, sampling, options.valid_attempts)
    suite = NextEdit(plan, reading, parser.name, algorithm.name)
    for sut in suts:
        (variant,) = variants_of((sut,), (prompt,), parser, (algorithm,))
        yield Contestant(sut, variant, suite)


def asked_as(contestants: Sequence[Contestant], options: ModelOptions) -> dict[str, object]:
    """How models were asked, for the identity of a run; nothing where there is none."""
    variant = next((each.variant for each in contestants if isinstance(each.suite, NextEdit)), None)
    if variant is None:
        return {}
    return {
        "prompt": f"{variant.prompt}@{variant.prompt_digest}",
        "question": wording_digest(),
        "parser": f"{variant.parser}@{variant.parser_digest}",
        "diff_apply": f"{variant.diff_algorithm}@{variant.algorithm_digest}",
        "valid_attempts_per_step": options.valid_attempts,
        "temperature": options.temperature,
        "max_tokens": options.max_tokens,
        "thinking_budget": options.thinking_budget,
    }
