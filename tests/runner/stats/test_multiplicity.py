"""P-values adjusted for being several."""

import gc

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from runner.stats.multiplicity import holm


@example([0.04, 0.01, 0.04, 0.03, 1.0, 0.0])
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_the_adjusted_values_are_those_of_statsmodels(p_values: list[float]) -> None:
    from statsmodels.stats.multitest import multipletests

    # Each call of theirs collects garbage among all objects of this process but these.
    gc.freeze()
    assert holm(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]), abs=1e-12)


def test_without_tests_there_is_nothing_to_adjust() -> None:
    assert holm([]) == []
