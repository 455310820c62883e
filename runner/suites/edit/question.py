"""What a model is asked: the instruction and the file, the same whichever form its answer is to have."""

import re

from runner.suites.edit.problems import EditProblem

_RUN = re.compile(r"^[ \t]*(`{3,})", re.MULTILINE)


def question(problem: EditProblem) -> str:
    """The message to the model."""
    instruction = problem.instruction.strip("\n")
    return f"{instruction}\n\nThe file {problem.path}:\n\n{fenced(problem.origin, problem.language)}\n"


def fenced(text: str, language: str | None) -> str:
    """The text in a fence that is longer than any in it."""
    fence = "`" * (1 + max((len(run) for run in _RUN.findall(text)), default=2))
    return f"{fence}{language or ''}\n{text.removesuffix(chr(10))}\n{fence}"
