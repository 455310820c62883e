"""The forms in which problems are read: our own, and those in which two sets are published.

- CanItEdit (Cassano et al. 2023): before, after, tests, and two instructions, which become two wordings of one edit.
- HumanEvalPack (Muennighoff et al. 2023), as HumanEvalFix: declaration with buggy_solution becomes declaration with
  canonical_solution, in six languages; the task_id begins with that of the language.
"""

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from runner.errors import InputError
from runner.jsonl import Row
from runner.metrics.edit_rows import EditRow


class EditProblemRow(EditRow, frozen=True, kw_only=True):
    """A line of a file of problems; `instructions` go before `instruction`."""

    problem: str
    lang: str
    test: str
    instruction: str | None = None
    instructions: dict[str, str] | None = None


class CanItEditRow(msgspec.Struct, frozen=True, kw_only=True):
    """A line of CanItEdit's data."""

    name: str
    before: str
    after: str
    tests: str
    instruction_descriptive: str
    instruction_lazy: str
    id: int | str = ""
    full_name: str = ""


class HumanEvalPackRow(msgspec.Struct, frozen=True, kw_only=True):
    """A line of HumanEvalPack's data."""

    task_id: str
    declaration: str
    canonical_solution: str
    buggy_solution: str
    test: str
    entry_point: str
    imports: str = msgspec.field(name="import", default="")
    test_setup: str = ""


_LANGUAGES: Mapping[str, str] = MappingProxyType(
    {"Python": "python", "JavaScript": "javascript", "Java": "java", "Go": "go", "CPP": "cpp", "Rust": "rust"}
)
# An assertion of the console prints, and the program goes on to end well.
_CONSOLE = "console.assert = (holds, ...words) => { if (!holds) throw new Error(words.join(' ') || 'assertion'); };\n"


def row_of(row: Row) -> EditProblemRow:
    """Return a line of any of the forms in ours. Raises InputError naming the field, by the name it has in the file."""
    if {"before", "after", "tests"} <= row.values.keys():
        return _canitedit(row.read(CanItEditRow))
    if {"buggy_solution", "canonical_solution"} <= row.values.keys():
        return _humanevalpack(row, row.read(HumanEvalPackRow))
    return row.read(EditProblemRow)


def _canitedit(form: CanItEditRow) -> EditProblemRow:
    return EditProblemRow(
        problem=form.full_name or "_".join(filter(None, (str(form.id), form.name))),
        lang="python",
        origin=form.before,
        reference=form.after,
        test=form.tests,
        instructions={"descriptive": form.instruction_descriptive, "lazy": form.instruction_lazy},
    )


def _humanevalpack(row: Row, form: HumanEvalPackRow) -> EditProblemRow:
    prefix = form.task_id.partition("/")[0]
    if prefix not in _LANGUAGES:
        raise InputError(
            f"{row.where}: field 'task_id' begins with {prefix!r}, none of {', '.join(_LANGUAGES)}; fix it"
        )
    language = _LANGUAGES[prefix]
    return EditProblemRow(
        problem=form.task_id,
        lang=language,
        origin=_program(form, form.buggy_solution),
        reference=_program(form, form.canonical_solution),
        test=(_CONSOLE if language == "javascript" else "") + form.test,
        instruction=f"Fix the bug in {form.entry_point}.",
    )


def _program(form: HumanEvalPackRow, solution: str) -> str:
    """Return the file with a solution; in Go the package and all imports have to come first."""
    return f"{form.test_setup}{form.imports}{form.declaration}{solution}"
