"""Two systems of next edits on generated steps: equal ones are equal, and 10 points are found at the size named."""

from statistics import median

import pytest

from tests.planted_steps import PlantedSteps, difference_of_steps, pair_of_steps

GAP = 0.1
PILOTS, PILOT_SEED, PILOT_COMMITS = 5, 1_000_000, 60
RATES = (0.2, 0.5, 0.85)
# Three standard deviations of a share of 95 % in 10,000 draws.
CHANCE = 0.0066


def covered(planted: PlantedSteps, draws: int) -> float:
    """The share of draws whose interval holds the true difference."""
    truth = planted.first - planted.second
    intervals = (difference_of_steps(planted, seed).interval for seed in range(draws))
    return sum(interval.low <= truth <= interval.high for interval in intervals) / draws


def matches(rate: float, seeds: int) -> int:
    """How many of the seeds show a gap of 10 points, at the number of commits that pilots recommend for 80 of 100."""
    gap = rate + GAP / 2, rate - GAP / 2
    pilots = (difference_of_steps(PlantedSteps(PILOT_COMMITS, *gap), PILOT_SEED + at) for at in range(PILOTS))
    commits = round(median(pilot.cases_for(GAP) for pilot in pilots))
    return sum(pair_of_steps(PlantedSteps(commits, *gap), seed).differs for seed in range(seeds))


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.wide
def test_equal_systems_are_mostly_found_equal(rate: float) -> None:
    assert 0.9 <= covered(PlantedSteps(42, rate, rate), 300) <= 0.985


@pytest.mark.wide
def test_a_gap_of_10_points_is_mostly_found_at_the_recommended_size() -> None:
    assert matches(0.5, 20) >= 14


@pytest.mark.wide
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("commits", [29, 42, 186])
def test_the_interval_of_equal_systems_covers_0_in_94_to_96_of_100_draws(commits: int, rate: float) -> None:
    assert 0.94 - CHANCE <= covered(PlantedSteps(commits, rate, rate), 10_000) <= 0.96 + CHANCE


@pytest.mark.wide
@pytest.mark.parametrize("rate", RATES)
def test_a_gap_of_10_points_is_found_in_70_of_100_seeds_at_the_recommended_size(rate: float) -> None:
    assert matches(rate, 100) >= 70
