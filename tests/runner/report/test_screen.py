"""An attempt on a screen: how it ended and why, the failed block beside its nearest place, what a filter chooses."""

from pathlib import Path

import pytest

from runner.errors import InputError
from runner.records import Outcome
from runner.report.screen import screen_lines
from runner.report.selection import Selection, selected
from runner.report.side_by_side import beside, visible
from runner.storage.attempt_filter import AttemptFilter
from runner.storage.runs import find_run
from runner.storage.store import Store
from tests.runner.made_runs import Made, make_run, plan, variant
from tests.runner.real_runs import real_run
from tests.runner.suites.made_cases import block, call

OUT_OF_ORDER = call(block("three", "THREE") + block("one", "ONE"))


def screens(store: Store, selection: Selection = Selection(), run_id: str = "r1") -> list[list[str]]:  # noqa: B008
    run = find_run(store, run_id)
    return [list(screen_lines(store, run, record)) for record in selected(store, run, selection)]


def test_outcome_and_reason_come_first_then_the_block_beside_its_nearest_place(store: Store, tmp_path: Path) -> None:
    real_run(store, tmp_path / "cases", {"one": [call(block("one\ntwo\nthrice"))]})

    (lines,) = screens(store)

    assert lines[0] == "x failed: no_match by v4"
    assert lines[1] == "  one number 1: test/scripted, basic, xml-tools-v2, stop"
    assert lines[2].startswith("  block 1: the SEARCH matches nothing in the file")
    assert lines[3] == "  cause: a line off"
    assert lines[4].split(" | ") == [f" {'SEARCH of block 1 of 1':<37}", "line 1 of the file, alike 0.83"]
    assert lines[7:9] == [f" {'thrice':<37} | three", f" {'   ^^':<37} |    ^"]
    assert lines[-1].startswith("  token 1  edit 1  line 2  ")
    assert max(map(len, lines[3:])) <= 80


def test_an_applied_edit_shows_what_it_changed(store: Store, tmp_path: Path) -> None:
    real_run(store, tmp_path / "cases", {"one": [call()]})

    (lines,) = screens(store)

    assert lines[0] == "? applied ?: applied by v4"
    assert [line for line in lines if line.startswith(("  -two", "  +TWO"))] == ["  -two", "  +TWO"]


def test_the_same_answer_under_other_algorithms_is_named(store: Store, tmp_path: Path) -> None:
    real_run(store, tmp_path / "cases", {"one": [OUT_OF_ORDER]}, "v1,v4")

    first, second = screens(store)

    assert first[0] == "x failed: no_match by v1; v4 applied ?"
    assert second[0] == "? applied ?: applied by v4; v1 failed"
    assert "  cause: block order" in first


def test_an_answer_without_a_call_has_its_cause(store: Store, tmp_path: Path) -> None:
    real_run(store, tmp_path / "cases", {"one": ["I will not.", call(path="src/b.txt"), call()]})

    causes = [line for lines in screens(store) for line in lines if "cause" in line]

    assert causes == ["  cause: no call", "  cause: wrong file"]


def test_an_answer_without_a_diff_shows_its_first_lines(store: Store) -> None:
    make_run(store, planned=plan(variants=[variant("rules", prompt="", algorithm="")], suite="nextedit"))
    made = Made(store)
    text = "\n".join(f"line {number}" for number in range(30))
    answer_id = made.answer(made.lane("a", "rules", ""), text=text, step=2, mode="recommend")
    made.scoring(answer_id, Outcome.APPLIED_NOTHING, parser="", diff_algorithm="")

    (lines,) = screens(store)

    assert lines[1] == "  a step 2 recommend number 1: rules"
    assert "  line 0" in lines
    assert "  ... 6 more lines: --full" in lines


ANSWERS = {"good": [call()], "bad": [call(block("four"))], "order": [OUT_OF_ORDER]}
CHOSEN = [
    pytest.param(Selection(), ["bad v1", "bad v4", "good v1", "good v4", "order v1", "order v4"], id="all"),
    pytest.param(Selection(failed=True), ["bad v1", "bad v4", "order v1"], id="failed"),
    pytest.param(Selection(AttemptFilter(diffs=("v4",)), failed=True), ["bad v4"], id="failed under v4"),
    pytest.param(Selection(flip=("v1", "v4")), ["order v1", "order v4"], id="flipped"),
    pytest.param(Selection(AttemptFilter(cases=("good",))), ["good v1", "good v4"], id="a case"),
    pytest.param(
        Selection(AttemptFilter(outcomes=("no_match",)), number=1), ["bad v1", "bad v4", "order v1"], id="end"
    ),
    pytest.param(
        Selection(AttemptFilter(models=("test/scripted",), diffs=("v1",), cases=("bad",))), ["bad v1"], id="m"
    ),
]


@pytest.mark.parametrize("selection, names", CHOSEN)
def test_a_selection_chooses_attempts(store: Store, tmp_path: Path, selection: Selection, names: list[str]) -> None:
    real_run(store, tmp_path / "cases", ANSWERS, "v1,v4")

    records = selected(store, find_run(store, "r1"), selection)

    assert [f"{record['case_id']} {record['diff_algorithm']}" for record in records] == names


REFUSED = [
    pytest.param(Selection(number=7), "has no attempt 7 that matches", id="nothing matches"),
    pytest.param(Selection(flip=("v1", "v9")), "no answer of run r1 was scored by 'v9'", id="an unknown algorithm"),
    pytest.param(Selection(AttemptFilter(models=("x/y",))), "--model: run r1 has no attempt of 'x/y'", id="a model"),
    pytest.param(Selection(AttemptFilter(outcomes=("gone",))), "--outcome: run r1 has no attempt", id="an outcome"),
]


@pytest.mark.parametrize("selection, message", REFUSED)
def test_a_selection_of_nothing_is_refused(store: Store, tmp_path: Path, selection: Selection, message: str) -> None:
    real_run(store, tmp_path / "cases", {"good": [call()]}, "v1,v4")

    with pytest.raises(InputError, match=message):
        list(selected(store, find_run(store, "r1"), selection))


def test_a_failure_of_the_infrastructure_is_shown_by_its_outcome(store: Store) -> None:
    make_run(store)
    Made(store).answer(Made(store).lane("a"), 1, None, outcome="timeout", error_text="nothing for 60 s")

    (lines,) = screens(store, Selection(AttemptFilter(outcomes=("timeout",))))

    assert lines[:3] == [
        ". infrastructure: timeout",
        "  a number 1: test/scripted, basic, xml-tools-v2",
        "  nothing for 60 s",
    ]


def test_white_space_and_control_characters_are_visible() -> None:
    assert visible("\ta\x1b[31m \u202e b  ") == ">---a\\x1b[31m \\x202e b~~"


def test_marks_stand_below_the_characters_that_differ_even_in_long_lines() -> None:
    long = "x" * 60
    rows = list(beside([f"{long}abc"], [f"{long}abd"], ("SEARCH", "file")))

    left, right = rows[1].split(" | ")
    mark, other = rows[2].split(" | ")
    assert left[mark.index("^")] == "c"
    assert right[other.index("^")] == "d"
    assert all(len(row) <= 80 for row in rows)


def test_only_lines_around_the_first_difference_are_shown() -> None:
    search = [f"line {number}" for number in range(40)]

    rows = list(beside(search, [*search[:20], "other", *search[21:]], ("SEARCH", "file")))

    assert rows[1].startswith(" line 17 ")
    assert rows[-1] == "   28 more lines: --full"
