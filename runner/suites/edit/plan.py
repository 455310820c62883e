"""What a run of the edit suite is to do: options checked, names resolved, problems proved."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import isfinite
from os import defpath
from pathlib import Path

from diff_apply import DEFAULT_ALGORITHM
from parsers import DEFAULT_PARSER
from parsers.blocks import Parser
from runner.errors import InputError
from runner.execution.script_commands import Command
from runner.run.options import AskOptions, check_asking
from runner.run.resolve import (
    choose_algorithms,
    choose_parser,
    choose_prompts,
    choose_suts,
    split_models,
    split_names,
)
from runner.storage.rows import to_json
from runner.storage.runs import CaseRow, RunPlan
from runner.suites.edit.attempt import SUITE
from runner.suites.edit.problems import EditProblem, digest_of
from runner.suites.edit.question import question
from runner.suites.edit.score import PROMPT, Form, form_of
from runner.variant import Variant
from suts.sut import Sut


@dataclass(frozen=True, slots=True, kw_only=True)
class EditOptions(AskOptions):
    """The options of `evals edit run`, as given.

    `timeout` is in seconds, for one run of a test; `path` says where programs are looked for.
    """

    file: Path
    model_ids: str = ""
    max_problems: int | None = None
    prompts: str = PROMPT
    parser: str = DEFAULT_PARSER
    diff_apply: str = DEFAULT_ALGORITHM
    command: tuple[str, ...] = ()
    timeout: float = 10.0
    workers: int = 2
    weak_sandbox: bool = False
    path: str = defpath


@dataclass(frozen=True, slots=True)
class EditPlan:
    """A run of the edit suite, ready to begin."""

    options: EditOptions
    suts: tuple[Sut, ...]
    forms: tuple[Form, ...]
    parser: Parser
    problems: tuple[EditProblem, ...]
    run: RunPlan


def make_plan(
    options: EditOptions,
    commands: dict[str, Command],
    problems: tuple[EditProblem, ...],
    build: Callable[[str], Sut],
    say: Callable[[str], None],
) -> EditPlan:
    """Resolve everything before anything is written or sent; `problems` are those of the file. Raises InputError."""
    parser = choose_parser(options.parser, say)
    algorithms = choose_algorithms(split_names(options.diff_apply, "--diff-apply"), say)
    prompts = choose_prompts(split_names(options.prompts, "--prompts"), say)
    forms = tuple(form_of(prompt, parser, algorithms) for prompt in prompts)
    suts = choose_suts(split_models(options.model_ids), build, options.sampling)
    chosen = problems[: options.max_problems]
    run = RunPlan(
        suite=SUITE,
        identity=_identity(options, commands, suts, forms, digest_of(problems)),
        settings=_settings(options),
        variants=[variant for sut in suts for form in forms for variant in _variants(sut, form)],
        cases=[_case_row(problem, left_out=problem not in chosen, options=options) for problem in problems],
        cases_digest=digest_of(problems),
        name=options.name or None,
        note=options.note or None,
    )
    return EditPlan(options, suts, forms, parser.thing, chosen, run)


def check_options(options: EditOptions) -> None:
    """Raise InputError for numbers that no run can have, and for what is missing."""
    if not options.model_ids.strip():
        raise InputError("--sut: is missing; name models, such as sim/careful")
    check_asking(options, quota="--samples")
    if not isfinite(options.timeout):
        raise InputError(f"--timeout: is {options.timeout}; give seconds, such as 10")


def _variants(sut: Sut, form: Form) -> Iterable[Variant]:
    for algorithm, digest in form.algorithms:
        yield Variant(
            sut=sut.name,
            prompt=form.prompt.name,
            parser=form.parser[0],
            diff_algorithm=algorithm,
            prompt_digest=form.prompt.digest,
            parser_digest=form.parser[1],
            algorithm_digest=digest,
            endpoint=sut.endpoint.base_url,
            simulated=sut.endpoint.simulated,
        )


def _case_row(problem: EditProblem, *, left_out: bool, options: EditOptions) -> CaseRow:
    skipped = f"beyond the first {options.max_problems} (--max-problems)" if left_out else None
    return CaseRow(
        problem.case_id,
        problem.digest,
        path=problem.path,
        language=problem.language,
        skipped=skipped,
        content=to_json({**problem.as_row, "messages": [{"role": "user", "text": question(problem)}]}),
    )


def _identity(
    options: EditOptions,
    commands: dict[str, Command],
    suts: tuple[Sut, ...],
    forms: tuple[Form, ...],
    problems_digest: str,
) -> dict[str, object]:
    """What makes two sessions the same run: all that an answer, its validity or its verdict depend on."""
    return {
        "suts": [f"{sut.name} at {sut.endpoint.base_url}" for sut in suts],
        "prompts": [f"{form.prompt.name}@{form.prompt.digest}" for form in forms],
        "parsers": list(dict.fromkeys("@".join(form.parser) for form in forms)),
        "diff_apply": list(dict.fromkeys("@".join(one) for form in forms for one in form.algorithms if one[0])),
        "cases": problems_digest,
        "commands": {language: list(command) for language, command in sorted(commands.items())},
        "timeout": options.timeout,
        "max_problems": options.max_problems,
        **options.asked_how,
    }


def _settings(options: EditOptions) -> dict[str, object]:
    """What may change from session to session."""
    return {
        **options.settings,
        "workers": options.workers,
        "cases": str(options.file),
    }
