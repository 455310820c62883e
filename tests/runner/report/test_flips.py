"""What swapping the algorithm changed, in tables."""

import pytest

from runner.report.comparisons import Compared, Comparison, Flip, Rule
from runner.report.flips import as_data, flip_tables
from runner.stats.flips import Flips
from runner.stats.intervals import Interval
from runner.stats.paired_test import PairedTest

FLIP = Flip("test/scripted", "basic", "a", 3, "no_match", "applied")


WHOLE = Compared(Rule("xml-tools-v1", "v1"), Rule("xml-tools-v2", "v4"))


def comparison(*flipped: Flip, difference: Interval | None = None, compared: Compared = WHOLE) -> Comparison:
    return Comparison(compared, Flips(5, 0, len(flipped), 2), difference, PairedTest("McNemar", 0.03125), flipped)


def test_an_algorithm_is_shown_against_the_one_before_with_each_flip() -> None:
    shown = flip_tables([comparison(FLIP, difference=Interval(0.125, -0.05, 0.3))])

    table, flips = shown.tables
    assert table.rows == (
        ("all", "all", "v4", "xml-tools-v2", "v1 xml-tools-v1", "5", "1", "0", "2", "+12.5 pp [-5.0, +30.0]", "0.0312"),
    )
    assert flips.rows == (("v4", "v1 xml-tools-v1", "a", "test/scripted", "basic", "3", "no_match", "applied"),)


@pytest.mark.parametrize(
    "flips, notes",
    [
        pytest.param(0, ("no attempt flipped",), id="none"),
        pytest.param(40, (), id="as many as are shown"),
        pytest.param(43, ("3 more flips: --json lists all",), id="more than are shown"),
    ],
)
def test_many_flips_are_counted_not_shown(flips: int, notes: tuple[str, ...]) -> None:
    shown = flip_tables([comparison(*[FLIP] * flips)])

    assert shown.notes == notes
    assert sum(len(table.rows) for table in shown.tables[1:]) == min(flips, 40)


def test_as_data_every_flip_is_listed_with_the_test() -> None:
    (data,) = as_data([comparison(*[FLIP] * 43)])

    assert len(data["flipped"]) == 43
    assert (data["test"], data["p_value"]) == ("McNemar", 0.03125)
    assert data["flipped"][0]["case_id"] == "a"


def test_a_part_is_named_by_model_and_prompt_and_its_flips_are_listed_once() -> None:
    part = Compared(WHOLE.baseline, Rule("xml-tools-v1", "v4"), "test/scripted", "basic", is_part=True)

    table, flips = flip_tables([comparison(FLIP), comparison(FLIP, compared=part)]).tables

    assert table.rows[1][:5] == ("test/scripted", "basic", "v4", "xml-tools-v1", "v1")
    assert len(flips.rows) == 1
