"""The problems of the edit suite: a file, an instruction, the file as it may be afterwards, and a test.

JSON lines with the fields problem, lang, origin, instruction (or instructions), reference (or references) and test;
docs/edit.md describes each. The form is that of the data that `evals study` reads, with the instruction added. Two
published forms are read as well (`published_forms`).
"""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from runner.errors import InputError
from runner.execution.script_commands import file_name
from runner.execution.script_judge import Script
from runner.json_texts import stored_json
from runner.jsonl import Row, each_row
from runner.languages import language_named
from runner.metrics.edit_rows import references_of
from runner.metrics.labelled_answers import Problem
from runner.storage.rows import to_json
from runner.suites.edit.published_forms import EditProblemRow, row_of

# The fields that must say something, and how to fix them.
_FILLED = {"problem": "name it", "test": "add a script that fails on a wrong answer"}
_INSTRUCTION = "say what is to be changed"


@dataclass(frozen=True, slots=True)
class EditProblem:
    """One edit that is asked for.

    `test` is a script that fails behind the origin and passes behind each reference; `where` is the file and line
    that the problem stands in; `language` None stands for text that no grammar reads. `instructions` are the same edit
    in other words, by name; empty where there is one instruction only, which has no name.
    """

    case_id: str
    language: str | None
    origin: str
    instruction: str
    references: tuple[str, ...]
    test: str
    where: str = ""
    instructions: tuple[tuple[str, str], ...] = ()

    def worded(self, name: str) -> str:
        """The instruction of a name; that without a name for ""."""
        return dict(self.instructions)[name] if name else self.instruction

    @property
    def path(self) -> str:
        """What the file is called."""
        return file_name(self.language)

    @property
    def as_row(self) -> dict[str, object]:
        """The problem as a line of a file that `evals study` and this suite read."""
        return {
            "problem": self.case_id,
            "lang": self.language or "text",
            "origin": self.origin,
            **({"instructions": dict(self.instructions)} if self.instructions else {"instruction": self.instruction}),
            **({"reference": self.references[0]} if len(self.references) == 1 else {"references": self.references}),
            "test": self.test,
        }

    @property
    def content(self) -> str:
        """The same as JSON text."""
        return to_json(self.as_row)

    @property
    def digest(self) -> str:
        """12 hexadecimal digits of SHA-256 over what the problem says."""
        return hashlib.sha256(self.content.encode()).hexdigest()[:12]

    def script(self, program: str) -> Script:
        """An answer with the problem's test behind it."""
        return Script(self.language, program, self.test, self.references[0])

    def as_studied(self) -> Problem:
        """The problem as a study knows it."""
        return Problem(self.case_id, self.language, self.origin, self.references, self.test)


def read_problems(path: Path) -> tuple[tuple[EditProblem, ...], tuple[str, ...]]:
    """The good problems of a file, and a line about each that is not. Raises InputError for what cannot be read."""
    problems: dict[str, EditProblem] = {}
    findings: list[str] = []
    for row in each_row(path):
        problem = row if isinstance(row, InputError) else _problem_or_finding(row)
        if isinstance(problem, InputError):
            findings.append(str(problem))
        elif problem.case_id in problems:
            first = problems[problem.case_id].where
            findings.append(
                f"{problem.where}: field 'problem': {problem.case_id!r} is there already ({first}); rename it"
            )
        else:
            problems[problem.case_id] = problem
    if not problems and not findings:
        findings.append(f"{path}: no problems in it; write one object a line")
    return tuple(problems.values()), tuple(findings)


def parse_problem(content: str) -> EditProblem:
    """The problem in JSON text of ours. Raises InputError naming the field."""
    return _problem(Row("problem", stored_json(content)))


def _problem_or_finding(row: Row) -> EditProblem | InputError:
    try:
        return _problem(row)
    except InputError as error:
        return error


def _problem(row: Row) -> EditProblem:
    form = row_of(row)
    language = language_named(form.lang, f"{row.where}: field 'lang'")
    for field, remedy in _FILLED.items():
        if not getattr(form, field).strip():
            raise InputError(f"{row.where}: field {field!r} is blank; {remedy}")
    instructions = _instructions(row, form)
    references = references_of(row, form)
    if form.origin in references:
        field = "references" if form.references else "reference"
        raise InputError(f"{row.where}: field {field!r} equals the origin; make the edit in it")
    return EditProblem(
        case_id=form.problem,
        language=language,
        origin=form.origin,
        instruction=next(iter(instructions.values())),
        references=references,
        test=form.test,
        where=row.where,
        instructions=tuple(instructions.items()) if form.instructions else (),
    )


def _instructions(row: Row, form: EditProblemRow) -> dict[str, str]:
    """Return the instructions by name; one without a name has the name ""."""
    if form.instructions is None and form.instruction is None:
        raise InputError(f"{row.where}: field 'instruction' is missing; {_INSTRUCTION}")
    named = {"": form.instruction or ""} if form.instructions is None else form.instructions
    if not named:
        raise InputError(f"{row.where}: field 'instructions' is empty; {_INSTRUCTION}, by name")
    for name, text in named.items():
        field = f"instructions.{name}" if form.instructions else "instruction"
        if not text.strip():
            raise InputError(f"{row.where}: field {field!r} is blank; {_INSTRUCTION}")
        if form.instructions and not re.fullmatch(r"[\w.-]+", name):
            raise InputError(f"{row.where}: field 'instructions' has the name {name!r}; name it by letters and digits")
    return named
