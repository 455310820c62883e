"""Clocks, tokens, cost and scores over the answers of a variant, held as numbers alone: 8 bytes each."""

import math
import statistics
from array import array
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby

from runner.report.attempt_stream import BY_CASE, AttemptStream
from runner.stats.intervals import Interval, mean_over_cases, rate_over_cases

CLOCKS = ("first_token_ms", "first_edit_ms", "first_line_ms", "closed_ms", "round_trip_ms")
TOKENS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")

_COUNTED = " AND c.class != 'infrastructure'"
COST = "coalesce(a.provider_cost_usd, a.list_cost_usd)"
_SUMS = f"""{", ".join(f"sum(a.{name}) AS {name}" for name in TOKENS)},
    count(*) AS n, count({COST}) AS priced, count(coalesce({", ".join(f"a.{name}" for name in TOKENS)})) AS reported"""
_VALUES = f"{', '.join(f'a.{name}' for name in CLOCKS)}, {COST}, a.upstream, a.served_model"
_SCORES = " CROSS JOIN scores x ON x.scoring_id = s.scoring_id"


@dataclass(frozen=True, slots=True)
class Spread:
    """The middle and the slow end of a clock, in milliseconds, over all answers that have it."""

    count: int
    median: float
    p90: float


@dataclass(frozen=True, slots=True)
class AnswerFigures:
    """What `VariantSummary` says of the same names."""

    clocks: dict[str, Spread]
    tokens: dict[str, int | None]
    cost_usd: float | None
    upstreams: dict[str, int]
    served_models: dict[str, int]
    untold: int


def answer_figures(attempts: AttemptStream) -> AnswerFigures:
    """Return the figures of the answers that are the model's doing."""
    (sums,) = attempts.rows(_SUMS, where=_COUNTED)
    columns = [array("d") for _ in (*CLOCKS, "cost_usd")]
    upstreams, served = Counter[str | None](), Counter[str | None]()
    for row in attempts.rows(_VALUES, where=_COUNTED):
        *values, upstream, model = row
        for column, value in zip(columns, values, strict=True):
            if value is not None:
                column.append(value)
        upstreams[upstream] += 1
        served[model] += 1
    *clocks, costs = columns
    return AnswerFigures(
        clocks={name: _spread(values) for name, values in zip(CLOCKS, clocks, strict=True) if values},
        tokens={name: sums[name] for name in TOKENS},
        cost_usd=math.fsum(costs) if sums["n"] and sums["priced"] == sums["n"] else None,
        upstreams=commonest_first(upstreams),
        served_models=commonest_first(served),
        untold=sums["n"] - sums["reported"],
    )


def commonest_first(counts: Mapping[str, int] | Mapping[str | None, int]) -> dict[str, int]:
    """Return the counts of what has a name, the largest first; equal ones by name."""
    named = ((name, count) for name, count in counts.items() if name is not None)
    return dict(sorted(named, key=lambda item: (-item[1], item[0])))


def _spread(unsorted: "array[float]") -> Spread:
    values = sorted(unsorted)
    p90 = values[min(len(values) - 1, -(-9 * len(values) // 10) - 1)]
    return Spread(len(values), statistics.median(values), p90)


@dataclass(slots=True)
class _Means:
    """The means of the cases that have a metric; of their values how many there are, and whether all are shares."""

    means: "array[float]" = field(default_factory=lambda: array("d"))
    count: int = 0
    shares: bool = True
    least: float = math.inf

    def add(self, values: "array[float]") -> None:
        self.means.append(statistics.fmean(values))
        self.count += len(values)
        least, greatest = min(values), max(values)
        self.shares = self.shares and least >= 0 and greatest <= 1
        self.least = min(self.least, least)

    def interval(self) -> Interval | None:
        """Return the mean over cases; the interval of shares stays within 0..1, that of counts above 0."""
        if self.shares:
            return rate_over_cases(self.means, self.count)
        mean = mean_over_cases(self.means)
        if mean is None or self.least < 0:
            return mean
        return replace(mean, low=max(0.0, mean.low))


def mean_scores(attempts: AttemptStream) -> dict[str, Interval]:
    """Per metric the mean over cases of the case means, over the valid attempts that have it."""
    metrics: dict[str, _Means] = {}
    rows = attempts.rows("l.case_id, x.metric, x.value", joined=_SCORES, where=f" AND s.valid{_COUNTED}", order=BY_CASE)
    for _, of_case in groupby(rows, key=lambda row: str(row["case_id"])):
        values: dict[str, array[float]] = {}
        for row in of_case:
            values.setdefault(row["metric"], array("d")).append(row["value"])
        for metric, numbers in values.items():
            metrics.setdefault(metric, _Means()).add(numbers)
    means = {metric: figures.interval() for metric, figures in sorted(metrics.items())}
    return {metric: mean for metric, mean in means.items() if mean is not None}
