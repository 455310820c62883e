"""Fisher's exact test: the published example, the sum over all tables, and the laws of a p-value."""

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.stats.fisher import Share, fisher_p


def summed(first: Share, other: Share) -> float:
    """The p-value by the definition, over all tables, in fractions."""
    count, total = first.count + other.count, first.total + other.total
    tables = [
        Fraction(comb(first.total, k) * comb(other.total, count - k), comb(total, count))
        for k in range(max(0, count - other.total), min(first.total, count) + 1)
    ]
    found = Fraction(comb(first.total, first.count) * comb(other.total, other.count), comb(total, count))
    return float(sum(table for table in tables if table <= found))


@st.composite
def shares(draw: st.DrawFn) -> Share:
    total = draw(st.integers(0, 40))
    return Share(draw(st.integers(0, total)), total)


def test_the_lady_tasting_tea_may_have_guessed() -> None:
    assert fisher_p(Share(3, 4), Share(1, 4)) == pytest.approx(34 / 70)


@given(shares(), shares())
def test_the_p_value_is_the_sum_over_tables_that_are_no_more_probable(first: Share, other: Share) -> None:
    assert fisher_p(first, other) == pytest.approx(summed(first, other), rel=1e-9)
    assert fisher_p(first, other) == pytest.approx(fisher_p(other, first), rel=1e-9)


def test_large_counts_have_the_p_value_of_the_normal_law() -> None:
    # The difference is 1.4149 standard errors, with Yates' correction 1.4128: 15.77 % lie beyond that.
    assert fisher_p(Share(500_000, 1_000_000), Share(501_000, 1_000_000)) == pytest.approx(0.1577, abs=1e-4)
    assert fisher_p(Share(500_000, 1_000_000), Share(0, 1_000_000)) == 0.0
