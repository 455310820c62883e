"""Intervals over repositories cover the planted rate in 94 to 96 % of 10,000 draws, over many shapes."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple
from functools import cache

import numpy as np
import pytest

from runner.stats.intervals import Interval, rate_over_cases, rate_over_clusters, student_quantile
from runner.stats.unlike_clusters import (
    ClusteredMean,
    clustered_mean,
    mean_over_strata,
    pooled_rate,
    quantile_at,
    rate_over_strata,
)

DRAWS = 10_000
# What 10,000 draws of an interval that covers 95 % are off by in 19 of 20 cases.
CHANCE = 1.96 * math.sqrt(0.95 * 0.05 / DRAWS)


def assert_covers(planted: float, intervals: Iterator[Interval | None]) -> None:
    """The planted rate is met on average, and inside of 94 to 96 % of the intervals, but for chance."""
    drawn = [interval for interval in intervals if interval is not None]
    share = sum(interval.low <= planted <= interval.high for interval in drawn) / DRAWS
    assert 0.94 - CHANCE <= share <= 0.96 + CHANCE, share
    assert sum(interval.estimate for interval in drawn) / DRAWS == pytest.approx(planted, abs=0.005)


@cache
def tasks(passed: int, count: int) -> ClusteredMean:
    """A repository whose tasks are independent of each other."""
    rate = passed / count
    return ClusteredMean(rate, rate * (1 - rate) / (count - 1), count - 1, count, count)


def test_single_values_are_clusters_of_one() -> None:
    mean = clustered_mean([1, 1, 1, 0, 0], [1] * 5)

    assert mean is not None
    assert astuple(mean) == pytest.approx(astuple(tasks(3, 5)))


@pytest.mark.wide
@pytest.mark.parametrize(
    "rates, counts",
    [
        pytest.param((0.35, 0.6, 0.8), (100, 100, 100), id="three alike"),
        pytest.param((0.35, 0.6, 0.8), (30, 120, 299), id="three from 30 to 299"),
        pytest.param((0.2, 0.5, 0.9), (299, 60, 30), id="three from 299 to 30"),
        pytest.param((0.8, 0.9, 0.85), (30, 60, 150), id="three high ones"),
        pytest.param((0.95, 0.9, 0.98), (60, 120, 299), id="three near the end"),
        pytest.param((0.7, 0.4), (30, 299), id="two"),
        pytest.param((0.7, 0.4, 0.9, 0.2), (30, 60, 150, 299), id="four"),
    ],
)
def test_of_few_repositories_intervals_cover_the_mean_of_these(rates: list[float], counts: list[int]) -> None:
    drawn = np.random.default_rng(22).binomial(counts, rates, size=(DRAWS, len(rates))).tolist()

    strata = [[tasks(*own) for own in zip(passed, counts, strict=True)] for passed in drawn]
    shares = [count / sum(counts) for count in counts]

    assert_covers(float(np.mean(rates)), (rate_over_strata(own) for own in strata))
    assert_covers(float(np.dot(rates, shares)), (rate_over_strata(own, shares) for own in strata))


@pytest.mark.wide
def test_of_few_repositories_intervals_cover_where_the_tasks_of_a_file_are_not_independent() -> None:
    generator, rates, files = np.random.default_rng(22), (0.35, 0.6, 0.8), (12, 20, 30)
    sizes = [generator.integers(2, 20, size=count) for count in files]
    drawn = [files_drawn(generator, *own) for own in zip(rates, sizes, strict=True)]

    assert_covers(float(np.mean(rates)), (rate_over_strata(repositories) for repositories in zip(*drawn, strict=True)))


def files_drawn(generator: np.random.Generator, rate: float, sizes: np.ndarray) -> list[ClusteredMean]:
    """Draws of a repository whose files have rates of their own, with a correlation of .15 within a file."""
    own = 1 / 0.15 - 1
    passed = generator.binomial(sizes, generator.beta(rate * own, (1 - rate) * own, size=(DRAWS, len(sizes))))
    means = (clustered_mean(row, sizes.tolist()) for row in passed.tolist())
    return [mean for mean in means if mean is not None]


def alike(sums: Sequence[int], counts: Sequence[int]) -> Interval | None:
    """The mean of repositories: each weighs alike."""
    return rate_over_cases([total / count for total, count in zip(sums, counts, strict=True)], sum(counts))


@pytest.mark.wide
@pytest.mark.parametrize("interval", [alike, pooled_rate], ids=["repositories alike", "tasks alike"])
@pytest.mark.parametrize("repositories", [5, 20])
@pytest.mark.parametrize("rate, spread", [(0.6, 0.2), (0.8, 0.1)])
def test_from_five_repositories_on_intervals_cover_the_rate_of_all_repositories_whatever_their_sizes(
    interval: Callable[[Sequence[int], Sequence[int]], Interval | None], repositories: int, rate: float, spread: float
) -> None:
    generator, size = np.random.default_rng(22), (DRAWS, repositories)
    counts = generator.integers(30, 300, size=size)
    own = rate * (1 - rate) / spread**2 - 1
    passed = generator.binomial(counts, generator.beta(rate * own, (1 - rate) * own, size=size))

    assert_covers(rate, map(interval, passed.tolist(), counts.tolist()))


@pytest.mark.wide
def test_the_usual_interval_of_a_rate_over_clusters_covers_less_where_sizes_are_unlike() -> None:
    generator = np.random.default_rng(22)
    counts = generator.integers(30, 300, size=(DRAWS, 5))
    passed = generator.binomial(counts, generator.beta(3, 2, size=counts.shape))

    intervals = [rate_over_clusters(*own) for own in zip(passed.tolist(), counts.tolist(), strict=True)]

    assert sum(own is not None and own.low <= 0.6 <= own.high for own in intervals) / DRAWS < 0.94 - CHANCE


def test_clusters_of_like_size_have_the_interval_they_have_elsewhere() -> None:
    sums, counts = [3, 7, 10, 4, 5], [10] * 5

    ours, usual = pooled_rate(sums, counts), rate_over_clusters(sums, counts)

    assert ours is not None
    assert usual is not None
    assert astuple(ours) == pytest.approx(astuple(usual))


def test_a_large_cluster_that_draws_the_mean_to_itself_makes_the_interval_wider() -> None:
    sums, counts = [3, 7, 10, 4, 180], [10, 10, 10, 10, 200]
    usual, ours = rate_over_clusters(sums, counts), pooled_rate(sums, counts)

    assert usual is not None
    assert ours is not None
    assert ours.high - ours.low > 1.5 * (usual.high - usual.low)


def test_one_cluster_says_nothing_of_others() -> None:
    assert clustered_mean([3], [5]) is None
    assert pooled_rate([3], [5]) is None


def test_repositories_that_pass_everything_have_an_interval_with_a_width() -> None:
    interval = rate_over_strata([tasks(40, 40), tasks(60, 60), tasks(30, 30)])

    assert interval.estimate == interval.high == 1
    assert 0.9 < interval.low < 0.97


def test_the_mean_of_numbers_without_bounds_is_students() -> None:
    strata = [ClusteredMean(-3.0, 0.5, 9, 10, 10), ClusteredMean(5.0, 0.5, 9, 10, 10)]

    interval = mean_over_strata(strata)

    half = student_quantile(0.975, 18) * 0.5
    assert astuple(interval) == pytest.approx((1.0, 1 - half, 1 + half))


def test_quantiles_between_whole_degrees_of_freedom_are_scipys() -> None:
    from scipy import stats

    for degrees in (1.0, 2.0, 2.7, 9.3, 120.5):
        assert quantile_at(degrees) == pytest.approx(stats.t.ppf(0.975, degrees), rel=0.02)
    # There the curve bends most: the interval is too wide.
    assert stats.t.ppf(0.975, 1.5) < quantile_at(1.5) < stats.t.ppf(0.975, 1)
