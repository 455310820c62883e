"""Axes: values to pixels, within the chart, and ticks at round numbers."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.pages.axes import Axis, linear_axis, linear_ticks, log_axis, log_ticks

SIZES = st.floats(-1e9, 1e9, allow_nan=False)
AMOUNTS = st.floats(1e-6, 1e9)


@given(st.lists(SIZES, min_size=1, max_size=8))
def test_a_linear_axis_has_room_for_all_values_in_their_order(values: list[float]) -> None:
    axis = linear_axis(values, 10, 110)

    pixels = [axis.at(value) for value in sorted(values)]

    assert pixels == sorted(pixels)
    assert all(10 <= pixel <= 110 for pixel in pixels)
    assert axis.low <= 0 <= axis.high


@given(st.lists(AMOUNTS, min_size=1, max_size=8))
def test_a_logarithmic_axis_has_room_for_all_values_in_their_order(values: list[float]) -> None:
    axis = log_axis(values, 10, 110)

    pixels = [axis.at(value) for value in sorted(values)]

    assert pixels == sorted(pixels)
    assert all(10 < pixel < 110 for pixel in pixels)
    assert all(10 <= tick.at <= 110 for tick in log_ticks(axis))


@pytest.mark.parametrize(
    "values, labels",
    [
        pytest.param([-6.3, 38.2], ["-10", "0", "+10", "+20", "+30", "+40"], id="both sides"),
        pytest.param([0.0], ["0", "+0.05", "+0.1", "+0.15", "+0.2"], id="nothing"),
        pytest.param([math.inf, 3.0], ["0", "+1", "+2", "+3"], id="no end"),
    ],
)
def test_linear_ticks_are_round(values: list[float], labels: list[str]) -> None:
    ticks = linear_ticks(linear_axis(values, 0, 100), "{:+g}")

    assert [tick.label for tick in ticks][: len(labels)] == labels


@pytest.mark.parametrize(
    "values, labels",
    [
        pytest.param([140, 480], ["100", "200", "500"], id="a decade"),
        pytest.param([0.001, 100], ["0.001", "0.01", "0.1", "1", "10", "100"], id="many decades"),
        pytest.param([0.0], ["1"], id="nothing above 0"),
    ],
)
def test_logarithmic_ticks_are_round(values: list[float], labels: list[str]) -> None:
    assert [tick.label for tick in log_ticks(log_axis(values, 0, 100))] == labels


def test_what_is_off_the_axis_stands_at_its_end() -> None:
    axis = Axis(0, 1, 0, 100)

    assert (axis.at(-math.inf), axis.at(math.inf), axis.at(0.5)) == (0, 100, 50)
