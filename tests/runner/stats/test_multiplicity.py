"""P-values adjusted for being several."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from runner.stats.multiplicity import holm


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_the_adjusted_values_are_those_of_statsmodels(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]), abs=1e-12)


def test_without_tests_there_is_nothing_to_adjust() -> None:
    assert holm([]) == []
