"""Predictors that need no model as systems of a run: what they say is computed first, and given as recorded answers.

So they stand in the ledger and in the report beside the models, without clocks and cost.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from importlib.resources import files

from runner.suites.codrep.cases import CodrepCase
from runner.suites.codrep.predict import PREDICTORS, WITH_SIBLINGS, WORST, Choice
from runner.suites.codrep.question import right_answer
from runner.suites.codrep.ranker.model import SHIPPED
from runner.suites.codrep.siblings import sibling_lines
from runner.suites.codrep.spread import spread
from suts.recorded import Recorded
from suts.sut import Message, Sut


def is_local(name: str) -> bool:
    """Whether a system is a predictor of ours."""
    return name in PREDICTORS


def local_sut(choice: Choice, cases: Sequence[CodrepCase], jobs: int = 1) -> Sut:
    """A predictor as a system that knows its answers to these cases. Raises InputError where a task is unreadable."""
    lines = spread(cases, partial(_predicted, choice), jobs)
    found = dict(zip([case.path for case in cases], lines, strict=True))
    if choice.name == WITH_SIBLINGS:
        for dataset in dict.fromkeys(case.dataset for case in cases):
            found |= {path: line for path, line in sibling_lines(dataset).items() if path in found}
    return Recorded({asked(case): right_answer(found[case.path]) for case in cases}, choice.name)


def asked(case: CodrepCase) -> tuple[Message, ...]:
    """What a predictor is asked: it reads the task itself."""
    return (Message("user", case.case_id),)


def _predicted(choice: Choice, cases: Sequence[CodrepCase]) -> list[int]:
    predictor = PREDICTORS[choice.name](choice)
    told = choice.name == WORST
    return [predictor(replace(case.task(), answer=case.answer) if told else case.task()) for case in cases]


def ranker_digest() -> str:
    """Eight hexadecimal digits of the shipped model: with another one windows and predictions differ."""
    return hashlib.sha256((files("runner.suites.codrep.ranker") / SHIPPED).read_bytes()).hexdigest()[:8]
