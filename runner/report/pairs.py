"""Two variants compared on their common cases, and families of such comparisons."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

from runner.report.case_figures import CaseFigures, VariantName
from runner.report.case_values import CaseKey
from runner.stats.flips import Flips, flips
from runner.stats.multiplicity import holm
from runner.stats.paired import PairedDifference, case_means, paired_difference
from runner.stats.paired_test import paired_test
from runner.variant import AGENT_READING, of_agent

LEVEL = 0.05
# What variants can differ in, and all of it that may differ where the variant under comparison does.
DIMENSIONS: Mapping[str, frozenset[str]] = {
    "model": frozenset({"endpoint", "run"}),
    "prompt": frozenset({"run"}),
    "parser": frozenset({"run"}),
    # Each has its own parser.
    "calls": frozenset({"run", "parser"}),
    "algorithm": frozenset({"run"}),
    "edit-tool": frozenset({"prompt", "parser", "algorithm", "run"}),
    "endpoint": frozenset({"run"}),
    "context": frozenset({"run"}),
    "run": frozenset(),
}
# The dimension of a family in which variants may differ in several.
VARIANT = "variant"


@dataclass(frozen=True, slots=True)
class VariantPair:
    """The difference first - second of one figure.

    `p_value` is that of the test alone, `adjusted` of the family that the pair is in. `shares` is whether the figure is
    a share, so that its difference is shown in points. `table` counts the answers that both have, None without any.
    """

    first: VariantName
    second: VariantName
    difference: PairedDifference
    attempts: float
    test: str
    p_value: float
    adjusted: float
    shares: bool = True
    table: Flips | None = None

    @property
    def differs(self) -> bool:
        """Return whether the test finds a difference within its family, and the interval excludes 0 as well."""
        interval = self.difference.interval
        return self.adjusted <= LEVEL and not interval.low <= 0 <= interval.high


@dataclass(frozen=True, slots=True)
class Family:
    """The comparisons by one dimension: p-values are adjusted over them; `alone` are pairs without two common cases."""

    dimension: str
    metric: str
    pairs: tuple[VariantPair, ...]
    alone: int = 0


def families(samples: Sequence[CaseFigures], metric: str, dimensions: Sequence[str]) -> tuple[Family, ...]:
    """Compare the samples that differ in one dimension alone, by each of the dimensions.

    Simulated ones are never compared with real ones, nor two across runs that one of the runs has both of.
    """
    compared = (_family(name, metric, samples, partial(differ_by, name)) for name in dimensions)
    return tuple(family for family in compared if family is not None)


def every_pair(samples: Sequence[CaseFigures], metric: str) -> Family | None:
    """Compare all samples with each other, whatever they differ in; simulated with real ones never."""
    return _family(VARIANT, metric, samples, lambda first, second: first.simulated == second.simulated)


def differ_by(dimension: str, first: VariantName, second: VariantName) -> bool:
    """Return whether two variants differ in a dimension, and in nothing that does not come with it."""
    free = {dimension, *DIMENSIONS[dimension]}
    return (
        first.simulated == second.simulated
        and first.part(dimension) != second.part(dimension)
        and not any(_conflict(name, first, second) for name in DIMENSIONS if name not in free)
    )


def _conflict(name: str, first: VariantName, second: VariantName) -> bool:
    """Return whether two variants differ in a part that both have.

    A predictor has no prompt; an answer that is a whole file has no algorithm, and so a parser of its own. A coding
    agent has a prompt and a reading of its own.
    """
    agents = [of_agent(variant.prompt, variant.parser) for variant in (first, second)]
    if name == "prompt" and agents[0] != agents[1]:
        return False
    if name == "parser" and (first.parser == AGENT_READING) != (second.parser == AGENT_READING):
        return False
    if name == "parser" and (first.algorithm == "") != (second.algorithm == ""):
        return False
    values = first.part(name), second.part(name)
    return "" not in values and values[0] != values[1]


def _family(
    dimension: str,
    metric: str,
    samples: Sequence[CaseFigures],
    comparable: Callable[[VariantName, VariantName], bool],
) -> Family | None:
    known = {sample.variant for sample in samples}
    compared = [
        compared_pair(first, second)
        for first, second in combinations(samples, 2)
        if comparable(first.variant, second.variant)
        and (dimension == "run" or not _within_a_run(first.variant, second.variant, known))
    ]
    pairs = [pair for pair in compared if pair is not None]
    adjusted = holm([pair.p_value for pair in pairs])
    adjusted_pairs = (replace(pair, adjusted=value) for pair, value in zip(pairs, adjusted, strict=True))
    return Family(dimension, metric, tuple(adjusted_pairs), len(compared) - len(pairs)) if compared else None


def _within_a_run(first: VariantName, second: VariantName, known: Collection[VariantName]) -> bool:
    """Return whether two variants of different runs are compared within the run of one of them, too."""
    return first.run != second.run and (
        replace(first, run=second.run) in known or replace(second, run=first.run) in known
    )


def compared_pair(first: CaseFigures, second: CaseFigures) -> VariantPair | None:
    """Return the comparison of two samples; None where fewer than two groups of cases are common."""
    cases, attempts = _common_answers(first, second)
    paired = bool(cases)
    if not paired:
        cases = {case: mean - second.cases[case] for case, mean in first.cases.items() if case in second.cases}
        attempts = (first.attempts + second.attempts) / 2
    clusters = _clusters(cases, first.clusters)
    difference = paired_difference(clusters, attempts, shares=first.shares and second.shares)
    if difference is None:
        return None
    binary = first.binary and second.binary
    table = flips((mine > 0, theirs > 0) for _, mine, theirs in _paired(first, second)) if paired and binary else None
    single = attempts == 1 if paired else first.single and second.single
    test, p_value = paired_test(clusters, single=binary and single)
    return VariantPair(first.variant, second.variant, difference, attempts, test, p_value, p_value, first.shares, table)


def _paired(first: CaseFigures, second: CaseFigures) -> Iterator[tuple[CaseKey, float, float]]:
    """Yield the case and the two values of each answer that both have."""
    for case, (ids, values) in first.answers.items():
        theirs = dict(zip(*second.answers.get(case, ((), ())), strict=True))
        yield from ((case, mine, theirs[answer]) for answer, mine in zip(ids, values, strict=True) if answer in theirs)


def _common_answers(first: CaseFigures, second: CaseFigures) -> tuple[dict[CaseKey, float], float]:
    """Return the mean difference of the common answers of each case, and their number per case; {} without any."""
    count = sum(1 for _ in _paired(first, second))
    means = case_means((case, mine - theirs) for case, mine, theirs in _paired(first, second))
    return means, count / len(means) if means else 0.0


def _clusters(cases: Mapping[CaseKey, float], names: Mapping[CaseKey, str]) -> list[list[float]]:
    groups: defaultdict[str, list[float]] = defaultdict(list)
    for case, difference in cases.items():
        groups[names[case]].append(difference)
    return list(groups.values())
