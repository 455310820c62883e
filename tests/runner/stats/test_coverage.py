"""Intervals cover what they promise, and tests find no more than they may, over 10,000 draws of many shapes."""

import pytest

from tests.bench.bench_comparisons import covered, finds
from tests.paired_cases import GAPS, NULL, Shape, drawn, shapes

DRAWS = 10_000
# Three standard deviations of a share of 95 % in so many draws.
CHANCE = 0.0066
# So many cases have to differ for an interval that covers neither too little nor too much.
ENOUGH = 12


@pytest.mark.slow
@pytest.mark.parametrize("shape", list(shapes(NULL + GAPS)), ids=str)
def test_an_interval_covers_94_percent_at_least_and_96_at_most_where_enough_cases_differ(shape: Shape) -> None:
    differences = drawn(shape, DRAWS)

    share = covered(differences, shape)

    assert share >= 0.94 - CHANCE
    if (differences != 0).sum(axis=1).mean() >= ENOUGH:
        assert share <= 0.96 + CHANCE


@pytest.mark.slow
@pytest.mark.parametrize("shape", [shape for shape in shapes(NULL) if shape.cases < 100], ids=str)
def test_a_difference_that_is_none_is_shown_in_5_and_a_half_percent_at_most(shape: Shape) -> None:
    # Random signs take milliseconds a draw.
    significant, shown = finds(drawn(shape, DRAWS if shape.attempts == 1 else 1_000), shape)

    assert shown <= significant <= 0.055
