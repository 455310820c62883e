"""Damage is what an edit changed and the expected change leaves alone, and nothing else."""

from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.report.collateral import Collateral, collateral_of, damaged_lines
from runner.storage.runs import find_run
from runner.storage.store import Store
from tests.in_process import evals
from tests.runner.suites.made_cases import block, call, case_json

ORIGINAL = "a\nb\nc\nd\ne\n"
EXPECTED = "a\nb\nC\nd\ne\n"


@pytest.mark.parametrize(
    "edited, lines",
    [
        pytest.param(EXPECTED, 0, id="right"),
        pytest.param(ORIGINAL, 0, id="nothing-done"),
        pytest.param("a\nb\nx\nd\ne\n", 0, id="the-right-place-wrongly"),
        pytest.param("a\nb\nC\nC2\nd\ne\n", 0, id="more-at-the-right-place"),
        pytest.param("a\nb\nC\nd\n", 1, id="a-line-lost"),
        pytest.param("x\nb\nC\nd\ne\n", 1, id="a-line-replaced"),
        pytest.param("a\nx\ny\nb\nC\nd\ne\n", 2, id="lines-inserted-elsewhere"),
        pytest.param("a\nb\nC\nd\ne\nx\n", 1, id="a-line-inserted-at-the-end"),
        pytest.param("a\r\nb\r\nC\r\nd\r\ne\r\n", 4, id="other-line-ends"),
        pytest.param("x\nb\nc\nd\ne\n", 1, id="elsewhere-instead"),
        pytest.param("", 4, id="all-lost"),
    ],
)
def test_damage_is_counted_in_lines(edited: str, lines: int) -> None:
    assert damaged_lines(ORIGINAL, EXPECTED, edited) == lines


@given(st.lists(st.sampled_from("abc"), max_size=8), st.lists(st.sampled_from("abc"), max_size=8))
def test_neither_the_expected_result_nor_the_file_as_it_was_has_damage_and_a_new_line_at_the_end_is_one(
    before: list[str], after: list[str]
) -> None:
    original, expected = ("".join(f"{line}\n" for line in lines) for lines in (before, after))

    assert damaged_lines(original, expected, expected) == 0
    assert damaged_lines(original, original, f"{original}new\n") == 1


def test_the_damage_of_a_run_is_that_of_its_applied_edits(tmp_path: Path) -> None:
    (tmp_path / "cases").mkdir()
    before = "".join(f"line {at}\n" for at in range(9))
    expected = before.replace("line 4", "LINE 4")
    diffs = (block("line 4", "LINE 4"), block("line 2\nline 3\nline 4", "LINE 4"), block("not there"))
    for at, diff in enumerate(diffs):
        text = case_json(f"c{at}", before, expected_contents=expected, original_diff_edit_tool_call_message=call(diff))
        (tmp_path / "cases" / f"{at}.json").write_text(text)
    assert evals("diff", "--replay", "--cases", "cases", cwd=tmp_path).returncode == 0

    with closing(Store.open(tmp_path / "evals.db", create=False)) as store:
        (damage,) = collateral_of(store, find_run(store, "latest")).values()

    assert damage == Collateral(edits=2, damaging=1, lines=2)
    assert (damage.share, damage.lines_each) == (0.5, 2.0)
    assert (Collateral().share, Collateral().lines_each) == (None, None)
