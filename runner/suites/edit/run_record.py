"""A run of the edit suite as the database keeps it: its identity, settings, variants and cases."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from runner.agents.agent import limits_of
from runner.case_digests import digest_of_cases
from runner.execution.script_commands import Command
from runner.run.variants import variants_of
from runner.storage.rows import to_json
from runner.storage.runs import CaseRow
from runner.suites.edit.answer_form import AnswerForm
from runner.suites.edit.options import EditOptions
from runner.suites.edit.problems import EditProblem
from runner.suites.edit.question import question
from runner.variant import Variant
from suts.sut import Sut


def variants_of_forms(suts: Iterable[Sut], forms: Iterable[AnswerForm]) -> Iterator[Variant]:
    """Yield the variants of systems and prompts: one for each algorithm that reads the answers to a prompt."""
    for sut, form in product(suts, forms):
        yield from variants_of((sut,), (form.prompt,), form.parser, form.algorithms)


def case_row(problem: EditProblem, *, left_out: bool, options: EditOptions) -> CaseRow:
    """A case with its problem and the question about it."""
    skipped = f"beyond the first {options.max_problems} (--max-cases)" if left_out else None
    return CaseRow(
        problem.case_id,
        problem.digest,
        path=problem.path,
        language=problem.language,
        skipped=skipped,
        content=to_json({**problem.as_row, "messages": list(_messages(problem))}),
    )


def _messages(problem: EditProblem) -> Iterator[dict[str, str]]:
    """The question as it is asked, or, of several instructions, each one with its name before it."""
    if not problem.instructions:
        yield {"role": "user", "text": question(problem)}
    for name, _ in problem.instructions:
        yield {"role": "user", "text": f"[{name}] {question(problem, name)}"}


def identity_of(
    options: EditOptions,
    commands: dict[str, Command],
    suts: tuple[Sut, ...],
    forms: tuple[AnswerForm, ...],
    problems: Sequence[EditProblem],
) -> dict[str, object]:
    """What makes two sessions the same run: all that an answer, its validity or its verdict depend on."""
    return {
        "suts": [f"{sut.name} at {sut.endpoint.base_url}" for sut in suts],
        "prompts": [f"{form.prompt.name}@{form.prompt.digest}" for form in forms],
        "parsers": list(dict.fromkeys("@".join(form.parser) for form in forms)),
        "diff_apply": list(
            dict.fromkeys("@".join(algorithm) for form in forms for algorithm in form.algorithms if algorithm[0])
        ),
        "cases": digest_of_cases(problems),
        "commands": {language: list(command) for language, command in sorted(commands.items())},
        **({"python": options.python} if options.python else {}),
        **({"environment": list(pins.lines)} if (pins := options.pins) else {}),
        "timeout": options.timeout,
        "max_problems": options.max_problems,
        **({"agent_limits": limits} if (limits := limits_of(suts)) else {}),
        **options.asked_how,
    }


def settings_of(options: EditOptions) -> dict[str, object]:
    """What may change from session to session."""
    return {
        **options.settings,
        "jobs": options.jobs,
        "cases": str(options.file),
    }
