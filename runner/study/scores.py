"""Scores labelled answers by several metrics."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from runner.errors import InputError
from runner.metrics import Metric, Sample, TooLargeError
from runner.metrics.labelled_answers import LabelledAnswer
from runner.stats.correlation import Floats


def score_answers(
    answers: Sequence[LabelledAnswer], metrics: Mapping[str, Metric], advance: Callable[[], object] = lambda: None
) -> dict[str, Floats]:
    """Return a score for each answer, in their order, by metric; `advance` is called after each answer.

    Answers that say the same are scored once. Raises InputError naming an answer that is too large to align.
    """
    known: dict[Sample, list[float]] = {}
    scored = []
    for answer in answers:
        if answer.sample not in known:
            known[answer.sample] = [_score(answer, name, metric) for name, metric in metrics.items()]
        scored.append(known[answer.sample])
        advance()
    columns = np.array(scored, dtype=np.float64).reshape(len(answers), len(metrics)).T
    return dict(zip(metrics, columns, strict=True))


def _score(answer: LabelledAnswer, name: str, metric: Metric) -> float:
    try:
        return metric(answer.sample)
    except TooLargeError as error:
        raise InputError(
            f"{answer.problem}, answer of {answer.model!r}: {name}: {error}; leave the problem or the metric out"
        ) from None
