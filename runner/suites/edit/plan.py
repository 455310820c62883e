"""What a run of the edit suite is to do: options checked, names resolved, problems read."""

from collections.abc import Iterator
from dataclasses import dataclass

from diff_apply.result import DiffAlgorithm
from parsers.blocks import Parser
from runner.errors import InputError, InputFindingsError
from runner.execution.script_commands import Command, commands_of
from runner.run.plan import Plan
from runner.run.resolve import (
    Named,
    choose_algorithms,
    choose_parser,
    choose_prompts,
    choose_suts,
    split_models,
    split_names,
)
from runner.run.session import lane_keys
from runner.run.suite import Say
from runner.storage.runs import RunPlan
from runner.suites.edit.answer_form import AnswerForm, folder_form, form_of, worded
from runner.suites.edit.options import ALL, EditOptions, check_options
from runner.suites.edit.problems import EditProblem, read_problems
from runner.suites.edit.question import workload_of
from runner.suites.edit.run_record import case_row, identity_of, settings_of, variants_of_forms

SUITE = "edit"


@dataclass(frozen=True, slots=True)
class EditDetail:
    """What a run of the edit suite is made of beside its systems and lanes."""

    forms: tuple[AnswerForm, ...]
    parser: Parser
    commands: dict[str, Command]
    problems: tuple[EditProblem, ...]
    run: RunPlan


def choose_wordings(text: str, problems: tuple[EditProblem, ...]) -> tuple[str, ...]:
    """Return the names of the instructions to give, of those that every problem has; ("",) where they have no names.

    Raises InputError for a name that a problem does not have.
    """
    named = {name: None for problem in problems for name, _ in problem.instructions}
    requested = list(named) if text == ALL else split_names(text, "--instructions")
    for problem in problems:
        known = [name for name, _ in problem.instructions]
        for name in requested:
            if name not in known:
                others = f"there are {', '.join(known)}" if known else "its one has no name"
                raise InputError(
                    f"{problem.where}: problem {problem.case_id!r} has no instruction {name!r} ({others});"
                    " give --instructions names that every problem has"
                )
    return tuple(requested) or ("",)


def plan(options: EditOptions, say: Say) -> Plan[EditDetail]:
    """Check and resolve everything before anything is written, sent or executed. Raises InputError."""
    check_options(options)
    if options.agents:
        options.say_unused(say, "prompts", "parser", "diff_apply")
    commands = commands_of(tuple(options.command or ()))
    problems, findings = read_problems(options.file)
    if findings:
        raise InputFindingsError(findings)
    parser = choose_parser(options.parser, say)
    algorithms = choose_algorithms(split_names(options.diff_apply, "--diff-apply"), say)
    wordings = choose_wordings(options.instructions, problems)
    forms = tuple(
        worded(form, wording) if wording else form
        for form in ((folder_form(),) if options.agents else _forms(options, parser, algorithms, say))
        for wording in wordings
    )
    suts = choose_suts(split_models(options.model_ids), options.builder, options.sampling)
    chosen = problems[: options.max_problems]
    identity = identity_of(options, commands, suts, forms, problems)
    run = RunPlan(
        suite=SUITE,
        identity=identity,
        settings=settings_of(options),
        variants=list(variants_of_forms(suts, forms)),
        cases=[case_row(problem, left_out=problem not in chosen, options=options) for problem in problems],
        cases_digest=str(identity["cases"]),
        name=options.name or None,
        note=options.note or None,
    )
    keys = lane_keys(
        [sut.name for sut in suts], [form.prompt.name for form in forms], [problem.case_id for problem in chosen]
    )
    return Plan(
        suite=SUITE,
        options=options,
        suts=suts,
        lanes=tuple(keys),
        quota=options.quota,
        cap=options.most_attempts,
        workload=workload_of(forms, chosen),
        detail=EditDetail(forms, parser.impl, commands, chosen, run),
    )


def _forms(
    options: EditOptions, parser: Named[Parser], algorithms: tuple[Named[DiffAlgorithm], ...], say: Say
) -> Iterator[AnswerForm]:
    """The forms in which models are asked to answer."""
    for prompt in choose_prompts(split_names(options.prompts, "--prompts"), say):
        yield form_of(prompt, parser, algorithms)
