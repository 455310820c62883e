"""What simulated models know of a task: the line that was replaced."""

from collections.abc import Iterable

from runner.run.protocols import TruthOf
from runner.storage.ledger import Question
from runner.suites.codrep.cases import CodrepCase
from runner.suites.codrep.question import right_answer
from suts.sut import Truth


def truth_of(cases: Iterable[CodrepCase], seed: int) -> TruthOf:
    """The truth of each question about these cases."""
    by_id = {case.case_id: case for case in cases}

    def truth(question: Question, about: object = None) -> Truth:  # noqa: ARG001 - the Protocol names it
        return case_truth(by_id[question.lane.case_id], question.number, seed)

    return truth


def case_truth(case: CodrepCase, number: int = 1, seed: int = 0) -> Truth:
    """The truth of attempt `number` at a case."""
    return Truth(case.case_id, number, seed=seed, answer=right_answer(case.answer), lines=case.lines)
