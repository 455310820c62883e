"""A stored answer scored again by chains."""

from collections.abc import Sequence

from runner.records import Scoring
from runner.run.suite import StoredAnswer
from runner.suites.completion.agent_filling import Unfilled
from runner.suites.completion.agent_scoring import unfilled_scorings, with_attempt
from runner.suites.completion.chains import Chain
from runner.suites.completion.dataset import Dataset, Task
from runner.suites.completion.rejudging import Rejudging
from runner.suites.completion.score import scorings_of
from runner.suites.completion.stored import fillings_of
from runner.variant import AGENT_HOLE


def rescored(
    dataset: Dataset, task: Task, chains: Sequence[Chain], answer: StoredAnswer, rejudging: Rejudging
) -> tuple[Scoring, ...]:
    """Return a scoring for each chain, of a model's answer or of an agent's."""
    text = answer.completion.text
    fillings = fillings_of(dataset, task, chains, answer.prompt, text)
    if isinstance(fillings, Unfilled):
        return unfilled_scorings(task, fillings, chains, text, answer.answer_id)
    judged = {chain: rejudging.judged(task, filling) for chain, filling in fillings.items()}
    scorings = scorings_of(task, judged, answer.answer_id)
    return with_attempt(scorings, text) if answer.prompt == AGENT_HOLE else scorings
