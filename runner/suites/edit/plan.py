"""What a run of the edit suite is to do: options checked, names resolved, problems read."""

from collections.abc import Iterable
from dataclasses import dataclass

from parsers.blocks import Parser
from runner.errors import InputFindingsError
from runner.execution.script_commands import Command, commands_of
from runner.run.plan import Plan, Workload
from runner.run.resolve import (
    choose_algorithms,
    choose_parser,
    choose_prompts,
    choose_suts,
    split_models,
    split_names,
)
from runner.run.session import lane_keys
from runner.run.suite import Say
from runner.storage.rows import to_json
from runner.storage.runs import CaseRow, RunPlan
from runner.suites.edit.options import EditOptions, check_options
from runner.suites.edit.problems import EditProblem, digest_of, read_problems
from runner.suites.edit.question import question
from runner.suites.edit.score import AnswerForm, form_of
from runner.tokens import token_counter
from runner.variant import Variant
from suts.sut import Sut

SUITE = "edit"


@dataclass(frozen=True, slots=True)
class EditDetail:
    """What a run of the edit suite is made of beside its systems and lanes."""

    forms: tuple[AnswerForm, ...]
    parser: Parser
    commands: dict[str, Command]
    problems: tuple[EditProblem, ...]
    run: RunPlan


def plan(options: EditOptions, say: Say) -> Plan[EditDetail]:
    """Check and resolve everything before anything is written, sent or executed. Raises InputError."""
    check_options(options)
    commands = commands_of(tuple(options.command or ()))
    problems, findings = read_problems(options.file)
    if findings:
        raise InputFindingsError(findings)
    parser = choose_parser(options.parser, say)
    algorithms = choose_algorithms(split_names(options.diff_apply, "--diff-apply"), say)
    prompts = choose_prompts(split_names(options.prompts, "--prompts"), say)
    forms = tuple(form_of(prompt, parser, algorithms) for prompt in prompts)
    suts = choose_suts(split_models(options.model_ids), options.builder, options.sampling)
    chosen = problems[: options.max_problems]
    run = RunPlan(
        suite=SUITE,
        identity=_identity(options, commands, suts, forms, digest_of(problems)),
        settings=_settings(options),
        variants=[variant for sut in suts for form in forms for variant in variants_of_form(sut, form)],
        cases=[_case_row(problem, left_out=problem not in chosen, options=options) for problem in problems],
        cases_digest=digest_of(problems),
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
        workload=_workload(forms, chosen),
        detail=EditDetail(forms, parser.impl, commands, chosen, run),
    )


def _workload(forms: tuple[AnswerForm, ...], problems: tuple[EditProblem, ...]) -> Workload:
    """An answer is taken to be as long as the reference."""
    count = token_counter(exact=False).count
    systems = sum(count(form.prompt.wording) for form in forms)
    questions = sum(count(question(problem)) for problem in problems)
    requests = len(forms) * len(problems)
    answers = sum(count(problem.references[0]) for problem in problems)
    return Workload(
        requests, systems * len(problems) + questions * len(forms), answers // max(1, len(problems)), requests
    )


def variants_of_form(sut: Sut, form: AnswerForm) -> Iterable[Variant]:
    """The variants of a system with one prompt: one for each algorithm that reads its answers."""
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
    skipped = f"beyond the first {options.max_problems} (--max-cases)" if left_out else None
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
    forms: tuple[AnswerForm, ...],
    problems_digest: str,
) -> dict[str, object]:
    """What makes two sessions the same run: all that an answer, its validity or its verdict depend on."""
    return {
        "suts": [f"{sut.name} at {sut.endpoint.base_url}" for sut in suts],
        "prompts": [f"{form.prompt.name}@{form.prompt.digest}" for form in forms],
        "parsers": list(dict.fromkeys("@".join(form.parser) for form in forms)),
        "diff_apply": list(
            dict.fromkeys("@".join(algorithm) for form in forms for algorithm in form.algorithms if algorithm[0])
        ),
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
        "jobs": options.jobs,
        "cases": str(options.file),
    }
