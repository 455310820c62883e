"""Predictors as systems of a run: what they answer is computed first, and given as recorded answers.

So they have their rows in the ledger and in the report beside the models, without clocks and cost.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from runner.pool.blocks import spread
from runner.suites.codrep.cases import CodrepCase
from runner.suites.codrep.predictors.predict import PREDICTORS, WITH_SIBLINGS, WORST, Choice
from runner.suites.codrep.predictors.siblings import sibling_lines
from runner.suites.codrep.question import right_answer
from suts.recorded import Recorded
from suts.sut import Message, Sut


def predictor_system(choice: Choice, cases: Sequence[CodrepCase], jobs: int = 1) -> Sut:
    """A predictor as a system that knows its answers to these cases. Raises InputError where a task is unreadable."""
    lines = spread(cases, partial(_predicted, choice), jobs)
    answers = dict(zip([case.path for case in cases], lines, strict=True))
    if choice.name == WITH_SIBLINGS:
        for dataset in dict.fromkeys(case.dataset for case in cases):
            answers |= {path: line for path, line in sibling_lines(dataset).items() if path in answers}
    return Recorded({messages_of(case): right_answer(answers[case.path]) for case in cases}, choice.name)


def messages_of(case: CodrepCase) -> tuple[Message, ...]:
    """The request to a predictor: the id of the case, whose task it reads itself."""
    return (Message("user", case.case_id),)


def _predicted(choice: Choice, cases: Sequence[CodrepCase]) -> list[int]:
    predictor = PREDICTORS[choice.name](choice)
    knows_answer = choice.name == WORST
    return [predictor(replace(case.task(), answer=case.answer) if knows_answer else case.task()) for case in cases]
