"""How well measures go with pass and fail, with intervals that resample problems, not rows."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from runner.metrics.labelled_answers import LabelledAnswer
from runner.stats.bootstrap import percentile_interval, resamples, sign_probability
from runner.stats.correlation import STATISTICS, Floats, LabelledRows, Statistic, pearson
from runner.stats.intervals import Interval

# Doing nothing is an answer that origin-aware measures reject by definition, and a copy of the reference one that
# every measure accepts: what is left shows how measures order real attempts. Whether two texts are the same is a matter
# of text or of tokens, and the two leave other answers over: both are shown.
SUBSETS: dict[str, Callable[[LabelledAnswer], bool]] = {
    "all": lambda _answer: True,
    "without_exact": lambda answer: not answer.exact,
    "without_nothing": lambda answer: not answer.nothing,
    "real_edits": lambda answer: not (answer.exact or answer.nothing),
    "without_exact_by_token": lambda answer: not answer.exact_by_token,
    "without_nothing_by_token": lambda answer: not answer.nothing_by_token,
    "real_edits_by_token": lambda answer: not (answer.exact_by_token or answer.nothing_by_token),
}


Mask = np.ndarray[tuple[int], np.dtype[np.bool_]]


@dataclass(frozen=True, slots=True)
class Difference:
    """Pearson's r of a measure minus that of another over the same resamples; `p` is two-sided."""

    against: str
    r: Interval
    p: float


@dataclass(frozen=True, slots=True)
class Subset:
    """Pearson's r among some of the answers; None where it does not exist (a measure that does not vary)."""

    rows: int
    r: Interval | None
    difference: Difference | None


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure's correlations with passing: over all answers by four statistics, and Pearson's r by subset."""

    statistics: dict[str, Interval | None]
    subsets: dict[str, Subset]


@dataclass(frozen=True, slots=True)
class Study:
    """What was studied and what was found; `rows` by subset, `models` with their rows and how many passed."""

    problems: int
    models: dict[str, tuple[int, int]]
    rows: dict[str, int]
    passed: float
    draws: int
    seed: int
    measures: dict[str, Measure]


@dataclass(frozen=True, slots=True)
class _Drawn:
    """The rows with their labels and problems, the resamples that all measures share, and who belongs to a subset."""

    rows: LabelledRows
    weights: Floats
    masks: dict[str, Mask]

    def size(self, subset: str) -> int:
        """Return the number of answers in a subset."""
        return int(self.rows.counts[self.masks[subset]].sum())


def analyse(
    answers: Sequence[LabelledAnswer], scores: Mapping[str, Floats], *, against: str, draws: int, seed: int
) -> Study:
    """Correlate each measure with passing, and compare it with the measure `against`, problem by problem."""
    problems = sorted({answer.problem for answer in answers})
    drawn = _Drawn(
        rows=labelled_rows(answers),
        # The first line is the data itself.
        weights=np.concatenate([np.ones((1, len(problems))), resamples(len(problems), draws, seed)]),
        masks={name: np.array([belongs(answer) for answer in answers]) for name, belongs in SUBSETS.items()},
    )
    by_subset = {name: _pearsons(scores, drawn, name) for name in SUBSETS}
    measures = {
        name: Measure(
            {statistic: _interval(compute, values, drawn) for statistic, compute in STATISTICS.items()},
            {subset: _subset(measured, name, against, drawn.size(subset)) for subset, measured in by_subset.items()},
        )
        for name, values in scores.items()
    }
    return Study(
        problems=len(problems),
        models=_by_model(answers),
        rows={name: drawn.size(name) for name in SUBSETS},
        passed=float(np.average(drawn.rows.labels, weights=drawn.rows.counts)),
        draws=draws,
        seed=seed,
        measures=measures,
    )


def labelled_rows(answers: Sequence[LabelledAnswer]) -> LabelledRows:
    """Return the answers' labels, problems and counts, in their order; problems are numbered by name."""
    number = {problem: code for code, problem in enumerate(sorted({answer.problem for answer in answers}))}
    return LabelledRows(
        labels=np.array([answer.passed for answer in answers], dtype=np.float64),
        codes=np.array([number[answer.problem] for answer in answers], dtype=np.int64),
        counts=np.array([answer.count for answer in answers], dtype=np.float64),
    )


def _by_model(answers: Sequence[LabelledAnswer]) -> dict[str, tuple[int, int]]:
    rows: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    for answer in answers:
        rows[answer.model] += answer.count
        passed[answer.model] += answer.count * answer.passed
    return {model: (rows[model], passed[model]) for model in sorted(rows)}


def _interval(compute: Statistic, values: Floats, drawn: _Drawn) -> Interval | None:
    coefficient = compute(values, drawn.rows, drawn.weights)
    return percentile_interval(float(coefficient[0]), coefficient[1:])


def _pearsons(scores: Mapping[str, Floats], drawn: _Drawn, subset: str) -> dict[str, Floats]:
    mask = drawn.masks[subset]
    if not mask.any():
        return dict.fromkeys(scores, np.full(len(drawn.weights), np.nan))
    rows = LabelledRows(drawn.rows.labels[mask], drawn.rows.codes[mask], drawn.rows.counts[mask])
    return {name: pearson(values[mask], rows, drawn.weights) for name, values in scores.items()}


def _subset(measured: Mapping[str, Floats], name: str, against: str, size: int) -> Subset:
    values = measured[name]
    difference = None
    if name != against:
        apart = values - measured[against]
        interval = percentile_interval(float(apart[0]), apart[1:])
        difference = Difference(against, interval, sign_probability(apart[1:])) if interval else None
    return Subset(size, percentile_interval(float(values[0]), values[1:]), difference)
