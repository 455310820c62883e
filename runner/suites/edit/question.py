"""What a model is requests: the instruction and the file, the same for every form of answer; and how much that is."""

import re

from runner.run.plan import Workload
from runner.suites.edit.answer_form import AnswerForm
from runner.suites.edit.problems import EditProblem
from runner.tokens import token_counter

_RUN = re.compile(r"^[ \t]*(`{3,})", re.MULTILINE)


def question(problem: EditProblem, wording: str = "") -> str:
    """The message to the model; `wording` names one of several instructions."""
    instruction = problem.worded(wording).strip("\n")
    return f"{instruction}\n\nThe file {problem.path}:\n\n{fenced(problem.origin, problem.language)}\n"


def task(problem: EditProblem, wording: str = "") -> str:
    """The message to a coding agent, which finds the file in its folder."""
    instruction = problem.worded(wording).strip("\n")
    return f"{instruction}\n\nThe file: {problem.path}\n"


def fenced(text: str, language: str | None) -> str:
    """The text in a fence that is longer than any in it."""
    fence = "`" * (1 + max((len(run) for run in _RUN.findall(text)), default=2))
    return f"{fence}{language or ''}\n{text.removesuffix(chr(10))}\n{fence}"


def workload_of(forms: tuple[AnswerForm, ...], problems: tuple[EditProblem, ...]) -> Workload:
    """An answer is taken to be as long as the reference."""
    count = token_counter(exact=False).count
    systems = sum(count(form.prompt.wording) for form in forms)
    questions = sum(count(question(problem, form.wording)) for problem in problems for form in forms)
    requests = len(forms) * len(problems)
    answers = sum(count(problem.references[0]) for problem in problems)
    return Workload(requests, systems * len(problems) + questions, answers // max(1, len(problems)), requests)
