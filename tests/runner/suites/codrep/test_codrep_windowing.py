"""Which part of a long program a model is shown."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from runner.suites.codrep.windowing import GAP, LONGEST, Window, choose_window, gaps, show_line

LINES = tuple(f"line {number}" for number in range(1, 101))


def one(_: str) -> int:
    return 1


def lines_only(text: str) -> int:
    """Counts a line as one token and a gap as none."""
    return int(text != f"{GAP}\n")


def test_a_program_that_fits_is_shown_whole() -> None:
    window = choose_window(LINES, [50], 100, one)

    assert window == Window(((1, 100),), 100, whole=True)


def test_each_likely_line_is_shown_with_lines_around_it() -> None:
    window = choose_window(LINES, [20, 80], 26, lines_only)

    assert (window.whole, window.spans) == (False, ((14, 26), (74, 86)))


def test_what_is_left_of_the_budget_widens_every_place() -> None:
    window = choose_window(LINES, [20, 80], 42, lines_only)

    assert window.spans == ((10, 30), (70, 90))


def test_likely_lines_come_before_surroundings() -> None:
    window = choose_window(LINES, [20, 80, 50], 4, lines_only)

    assert {20, 80, 50} < set(window.lines)
    assert window.tokens == 4


def test_likely_lines_beyond_the_budget_are_left_out_from_the_end() -> None:
    window = choose_window(LINES, [20, 80, 50], 2, lines_only)

    assert window.lines == [20, 80]


def test_marks_of_gaps_are_paid_for() -> None:
    window = choose_window(LINES, [20, 80], 29, one)

    assert window.spans == ((14, 26), (74, 86))
    assert window.tokens == 26 + 3


def test_places_that_grow_together_get_their_gap_back() -> None:
    # 20 and 22 apart cost two lines and three gaps; with 21 between them three lines and two gaps.
    window = choose_window(LINES, [20, 22, 21], 5, one)

    assert (window.spans, window.tokens) == (((20, 22),), 5)


def test_a_line_too_long_for_the_budget_leaves_room_for_others() -> None:
    window = choose_window(("x" * 50, "short", "y" * 50), [1, 2], 20, len)

    assert window.lines == [2]
    assert window.tokens == len(show_line(2, "short")) + 1 + 2 * (len(GAP) + 1)


def test_a_very_long_line_is_shown_in_part() -> None:
    assert show_line(7, "x" * LONGEST) == f"7: {'x' * LONGEST}"
    assert show_line(7, "x" * LONGEST + "y") == f"7: {'x' * LONGEST} ..."


def test_no_likely_lines_show_nothing_of_a_program_that_does_not_fit() -> None:
    window = choose_window(LINES, [], 10, one)

    assert (window.spans, window.lines, window.whole) == ((), [], False)


@pytest.mark.parametrize("line, shown", [(13, False), (14, True), (26, True), (27, False), (74, True), (100, False)])
def test_a_window_knows_which_lines_it_shows(line: int, *, shown: bool) -> None:
    assert Window(((14, 26), (74, 86)), 0, whole=False).shows(line) is shown


@pytest.mark.parametrize(
    "spans, count",
    [
        pytest.param([], 1, id="nothing is shown"),
        pytest.param([(1, 9)], 0, id="all is shown"),
        pytest.param([(2, 9)], 1, id="the beginning is left out"),
        pytest.param([(1, 3), (5, 8)], 2, id="the middle and the end are left out"),
    ],
)
def test_gaps_stand_before_between_and_behind(spans: list[tuple[int, int]], count: int) -> None:
    assert gaps(spans, 9) == count


@given(
    st.lists(st.text(max_size=30), min_size=1, max_size=60),
    st.lists(st.integers(1, 60), max_size=20),
    st.integers(len(GAP) + 1, 400),
)
@example(["a"] * 30, [2, 4, 3, 20], 40)
def test_a_window_never_costs_more_than_its_budget(lines: list[str], ranked: list[int], budget: int) -> None:
    window = choose_window(lines, [line for line in ranked if line <= len(lines)], budget, len)

    shown = "".join(f"{show_line(line, lines[line - 1])}\n" for line in window.lines)
    assert window.tokens == len(shown) + gaps(window.spans, len(lines)) * (len(GAP) + 1)
    assert window.tokens <= budget
    assert all(1 <= first <= last <= len(lines) for first, last in window.spans)
    assert all(before[1] + 1 < after[0] for before, after in pairwise(window.spans))
