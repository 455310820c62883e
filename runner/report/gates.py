"""Gates for CI: whether a run's figures reach a limit, and whether they are worse than those of a baseline run."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from runner.errors import InputError
from runner.report.case_figures import RATES, CaseFigures, VariantName, samples_of
from runner.report.comparison_tables import lower_is_better
from runner.report.pairs import compared_pair
from runner.report.summary import RunSummary, VariantSummary
from runner.report.tables import full_name, percent
from runner.stats.intervals import Interval
from runner.storage.runs import VariantKey
from runner.storage.store import Row, Store

FAIL_UNDER, MAX_REGRESSION = "--fail-under", "--max-regression"
_LIMIT = re.compile(r"\s*([^=\s]+)\s*=\s*(\d+(?:\.\d*)?|\.\d+)\s*(%|pp|)\s*")


class GateVerdict(StrEnum):
    """What a gate says: a gate is inconclusive where the data do not suffice."""

    PASSED = "passed"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit as it was written, such as `right=90%`: the figure, and the number; shares are 0..1."""

    option: str
    text: str
    figure: str
    value: float

    @property
    def name(self) -> str:
        """The gate as a command line has it."""
        return f"{self.option} {self.text}"


@dataclass(frozen=True, slots=True)
class GateResult:
    """What one gate says of one variant of a run, and why."""

    gate: str
    run_id: str
    variant: str
    verdict: GateVerdict
    reason: str


def fail_under(text: str) -> Limit:
    """Read a limit such as `right=90%` or `similarity=80`. Raises InputError for anything else."""
    limit = _limit(FAIL_UNDER, text, "%", "right=90%")
    if lower_is_better(limit.figure):
        raise InputError(f"{FAIL_UNDER} {text}: less of {limit.figure} is better; use {MAX_REGRESSION}")
    if limit.figure in RATES and limit.value > 1:
        raise InputError(f"{FAIL_UNDER} {text}: no rate is above 100 %; give a smaller one")
    return limit


def max_regression(text: str) -> Limit:
    """Read a limit such as `right=3pp` or `first_edit_ms=50`. Raises InputError for anything else."""
    return _limit(MAX_REGRESSION, text, "pp", "right=3pp")


def _limit(option: str, text: str, unit: str, example: str) -> Limit:
    match = _LIMIT.fullmatch(text)
    if match is None or match[3] not in {"", unit}:
        raise InputError(f"{option} {text}: is no figure with a limit; write one such as {example}")
    figure, number, written = match.groups()
    if figure in RATES and not written:
        raise InputError(f"{option} {text}: has no unit; write {figure}={number}{unit}")
    return Limit(option, text.strip(), figure, float(number) / 100 if written else float(number))


def judge_state(summary: RunSummary) -> list[GateResult]:
    """Return that nothing can be concluded of a run that is not complete; nothing for one that is."""
    if summary.state == "complete":
        return []
    reason = f"the run is {summary.state}: figures may change"
    return [GateResult("complete run", summary.run_id, "all variants", GateVerdict.INCONCLUSIVE, reason)]


def judge_points(summary: RunSummary, limits: Sequence[Limit]) -> list[GateResult]:
    """Return for each variant whether its point estimate reaches each limit; its interval is stated.

    Raises InputError for a figure that no variant has.
    """
    return [_judge_point(summary, variant, limit) for limit in limits for variant in _having(summary, limit)]


def _having(summary: RunSummary, limit: Limit) -> Sequence[VariantSummary]:
    known = {name: None for variant in summary.variants for name, value in _figures(variant).items() if value}
    if limit.figure not in known:
        names = ", ".join(known) or "none"
        raise InputError(f"{limit.name}: run {summary.run_id} has no such figure; it has {names}")
    return summary.variants


def _figures(variant: VariantSummary) -> Mapping[str, Interval | None]:
    rates = {"right": variant.right, "applied": variant.applied, "valid": variant.valid_rate}
    return {**rates, **variant.scores}


def _judge_point(summary: RunSummary, variant: VariantSummary, limit: Limit) -> GateResult:
    name = full_name(variant)
    interval = _figures(variant).get(limit.figure)
    if interval is None:
        return GateResult(limit.name, summary.run_id, name, GateVerdict.FAILED, f"{limit.figure} is unknown")
    reached = interval.estimate >= limit.value
    estimate = percent(interval) if limit.text.endswith("%") else f"{interval.estimate:.4g}"
    relation = "reaches" if reached else "is below"
    reason = f"{limit.figure} {estimate} {relation} {limit.text.partition('=')[2].strip()}"
    return GateResult(limit.name, summary.run_id, name, GateVerdict.PASSED if reached else GateVerdict.FAILED, reason)


def judge_regressions(
    store: Store, run: Row, baseline: Row, limits: Sequence[Limit], cluster: str = ""
) -> list[GateResult]:
    """Return for each variant how its difference from the same variant of the baseline relates to each limit.

    Variants are the same by model, prompt, parser and algorithm; their cases are paired. Raises InputError where no
    variant is in both, and for a figure that the runs do not have.
    """
    results = []
    for limit in limits:
        before = samples_of(store, [baseline], limit.figure, cluster)
        after = samples_of(store, [run], limit.figure, cluster)
        known = {_parts(sample.variant): sample for sample in before}
        if not any(_parts(sample.variant) in known for sample in after):
            raise InputError(
                f"--baseline {baseline['run_id']}: has no variant of run {run['run_id']}; name a run of the same models"
            )
        results += [_judge_regression(sample, known.get(_parts(sample.variant)), limit) for sample in after]
    return results


def _judge_regression(after: CaseFigures, before: CaseFigures | None, limit: Limit) -> GateResult:
    variant = after.variant
    name = _full_name(variant)
    if before is None:
        reason = "the baseline has no such variant"
        return GateResult(limit.name, variant.run, name, GateVerdict.INCONCLUSIVE, reason)
    pair = compared_pair(after, before)
    if pair is None:
        reason = "the two runs have fewer than two cases in common"
        return GateResult(limit.name, variant.run, name, GateVerdict.INCONCLUSIVE, reason)
    interval = pair.difference.interval
    verdict = regression_verdict(interval, limit.value, fewer_is_better=lower_is_better(limit.figure))
    factor, unit = (100, " points") if pair.shares else (1, "")
    ends = ", ".join(f"{factor * end:+.4g}" for end in (interval.low, interval.high))
    reason = f"{limit.figure} {factor * interval.estimate:+.4g}{unit} [{ends}] on {pair.difference.cases} cases"
    return GateResult(limit.name, variant.run, name, verdict, reason)


def regression_verdict(difference: Interval, most: float, *, fewer_is_better: bool = False) -> GateVerdict:
    """Return what an interval of new - old says of a regression of at most so much.

    It fails where the whole interval is worse, and passes where no part of it is; anything else is inconclusive.
    """
    worst, best = (-difference.high, -difference.low) if fewer_is_better else (difference.low, difference.high)
    if best < -most:
        return GateVerdict.FAILED
    return GateVerdict.PASSED if worst >= -most and math.isfinite(worst) else GateVerdict.INCONCLUSIVE


def _parts(variant: VariantName) -> VariantKey:
    return variant.model, variant.prompt, variant.parser, variant.algorithm


def _full_name(variant: VariantName) -> str:
    """Return the name as that of a summary is."""
    model = f"{variant.model} (simulated)" if variant.simulated else variant.model
    return ", ".join(filter(None, (model, variant.prompt, variant.algorithm or variant.parser)))
