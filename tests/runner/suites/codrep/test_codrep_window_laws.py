"""What holds of every window: the likeliest line, the budget, and that nothing is left unused."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from runner.suites.codrep.windowing import CONTEXT, GAP, LONGEST, Window, choose_window, gaps, show_line

LINES = st.lists(st.text(max_size=25), min_size=1, max_size=50)
RANKED = st.lists(st.integers(1, 50), min_size=1, max_size=15)
BUDGETS = st.integers(len(GAP) + 1, 500)
GAP_COST = len(GAP) + 1


def cost(lines: list[str], number: int) -> int:
    """What showing a line costs, a character being one token."""
    return len(show_line(number, lines[number - 1])) + 1


def within(lines: list[str], ranked: list[int]) -> list[int]:
    return [number for number in ranked if number <= len(lines)]


@settings(max_examples=25)
@given(LINES, RANKED, BUDGETS)
def test_the_likeliest_line_that_fits_is_always_shown(lines: list[str], ranked: list[int], budget: int) -> None:
    ranked = within(lines, ranked)
    fitting = [number for number in ranked if cost(lines, number) + 2 * GAP_COST <= budget]
    assume(fitting)

    window = choose_window(lines, ranked, budget, len)

    assert window.shows(fitting[0])


@settings(max_examples=25)
@given(LINES, RANKED, BUDGETS)
def test_a_program_is_shown_whole_if_and_only_if_it_fits(lines: list[str], ranked: list[int], budget: int) -> None:
    window = choose_window(lines, within(lines, ranked), budget, len)

    total = sum(cost(lines, number) for number in range(1, len(lines) + 1))
    assert window.whole == (total <= budget)
    assert not window.whole or window.lines == list(range(1, len(lines) + 1))


@st.composite
def cut(draw: st.DrawFn) -> tuple[list[str], list[int], int]:
    """A program, likely lines of it, and a budget that it exceeds."""
    lines = ["x" * length for length in draw(st.lists(st.sampled_from([0, 1, 30]), min_size=6, max_size=80))]
    ranked = draw(st.lists(st.integers(1, len(lines)), min_size=1, max_size=3))
    total = sum(cost(lines, number) for number in range(1, len(lines) + 1))
    return lines, ranked, draw(st.integers(GAP_COST, total - 1))


@settings(max_examples=25)
@given(cut())
def test_beside_what_is_shown_there_is_no_room_for_a_line(program: tuple[list[str], list[int], int]) -> None:
    lines, ranked, budget = program

    window = choose_window(lines, ranked, budget, len)

    shown = set(window.lines)
    # One gap is always kept for the end, needed or not.
    spent = sum(cost(lines, number) for number in shown) + GAP_COST * (len(window.spans) + 1)
    beside = {number + step for number in shown for step in (-1, 1)} - shown
    for number in beside & set(range(1, len(lines) + 1)):
        joins = number - 1 in shown and number + 1 in shown
        assert spent + cost(lines, number) - joins * GAP_COST > budget


@settings(max_examples=25)
@given(LINES, RANKED, BUDGETS)
def test_to_name_a_line_again_changes_nothing(lines: list[str], ranked: list[int], budget: int) -> None:
    ranked = within(lines, ranked)

    window = choose_window(lines, ranked, budget, len)

    assert choose_window(lines, [*ranked, *reversed(ranked)], budget, len) == window
    assert choose_window(lines, iter(ranked), budget, len) == window


@settings(max_examples=25)
@given(st.lists(st.integers(1, 60), max_size=12).map(sorted))
def test_the_lines_of_a_window_are_those_it_shows(edges: list[int]) -> None:
    spans = tuple((first, last) for first, last in zip(edges[::2], edges[1::2], strict=False))
    window = Window(spans, 0, whole=False)

    assert {number for number in range(70) if window.shows(number)} == set(window.lines)


@settings(max_examples=25)
@given(st.sets(st.integers(1, 40)), st.integers(40, 50))
def test_gaps_are_the_runs_of_lines_left_out(shown: set[int], count: int) -> None:
    spans: list[tuple[int, int]] = []
    for number in sorted(shown):
        if spans and spans[-1][1] == number - 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))

    left_out = [number for number in range(1, count + 1) if number not in shown]
    begins = sum(number - 1 in shown or number == 1 for number in left_out)
    assert gaps(spans, count) == begins


@pytest.mark.parametrize(
    "likely, spans",
    [
        pytest.param([50], ((50 - CONTEXT, 50 + CONTEXT),), id="in the middle"),
        pytest.param([1], ((1, 1 + CONTEXT),), id="at the beginning"),
        pytest.param([100], ((100 - CONTEXT, 100),), id="at the end"),
        pytest.param([50, 52], ((50 - CONTEXT, 52 + CONTEXT),), id="two that stand together"),
    ],
)
def test_the_surroundings_end_with_the_program(likely: list[int], spans: tuple[tuple[int, int], ...]) -> None:
    lines = ["x"] * 100
    budget = sum(last - first + 1 for first, last in spans)

    window = choose_window(lines, likely, budget, lambda text: int(text != f"{GAP}\n"))

    assert window.spans == spans


@settings(max_examples=25)
@given(st.integers(1, 10**6), st.text(max_size=40))
def test_a_short_line_is_shown_as_it_stands(number: int, text: str) -> None:
    assert show_line(number, text) == f"{number}: {text}"


@settings(max_examples=25)
@given(st.integers(LONGEST + 1, 3 * LONGEST))
def test_a_long_line_costs_no_more_than_its_beginning(length: int) -> None:
    shown = show_line(1, "y" * length)

    assert len(shown) == len("1: ") + LONGEST + len(f" {GAP}")
