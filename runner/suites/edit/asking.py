"""What a model is asked: the instruction and the file, the same whichever form its answer is to have."""

import re
from pathlib import Path

from prompts import PromptDetails
from runner.suites.diff_edit.cases import DiffEditCase
from runner.suites.edit.problems import EditProblem
from suts.sut import Message

_RUN = re.compile(r"^[ \t]*(`{3,})", re.MULTILINE)


def question(problem: EditProblem) -> str:
    """The message to the model."""
    instruction = problem.instruction.strip("\n")
    return f"{instruction}\n\nThe file {problem.path}:\n\n{fenced(problem.origin, problem.language)}\n"


def fenced(text: str, language: str | None) -> str:
    """The text in a fence that is longer than any in it."""
    fence = "`" * (1 + max((len(run) for run in _RUN.findall(text)), default=2))
    return f"{fence}{language or ''}\n{text.removesuffix(chr(10))}\n{fence}"


def as_case(problem: EditProblem, details: PromptDetails) -> DiffEditCase:
    """The problem as a case of the diff-edit suite, whose reading of answers is used for those that are diffs."""
    return DiffEditCase(
        case_id=problem.case_id,
        messages=(Message("user", question(problem)),),
        file_contents=problem.origin,
        file_path=problem.path,
        details=details,
        original_message="",
        expected_contents=problem.references,
        language=problem.language,
        source=None,
        file=Path(problem.where),
        digest=problem.digest,
    )
