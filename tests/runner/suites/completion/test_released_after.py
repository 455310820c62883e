"""Tasks of repositories that are not new enough are left out, and so are those that nobody knows the date of."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.suites.completion.dataset import read_dataset
from runner.suites.completion.provenance import Provenance
from runner.suites.completion.task_choice import LeftOut, left_out_note, released_after
from tests.joined import FILE, SIZES, write_three


@pytest.fixture
def three(tmp_path: Path) -> Path:
    return write_three(tmp_path)


def test_repositories_are_left_out_that_are_older_or_without_a_date(three: Path) -> None:
    dataset, left_out = released_after(read_dataset(three), date(2023, 1, 1), three)

    assert left_out == (LeftOut("bob", SIZES["bob"], "2022-02-01"), LeftOut("cid", SIZES["cid"], ""))
    assert {task.repo for task in dataset.tasks} == {"ada"} == set(dataset.origins)
    assert list(dataset.files) == [f"ada/{FILE}"]
    assert left_out_note("2023-01-01", left_out) == (
        "--released-after 2023-01-01 leaves out 9 tasks: 4 of bob (2022-02-01),"
        " 5 of cid (no date of a release is known)"
    )


@pytest.mark.parametrize(
    "day, kept", [(date(2022, 1, 31), ["ada", "bob"]), (date(2022, 2, 1), ["ada"]), (date(2024, 5, 31), ["ada"])]
)
def test_the_day_of_the_release_itself_is_not_after_it(three: Path, day: date, kept: list[str]) -> None:
    assert list(released_after(read_dataset(three), day, three)[0].origins) == kept


@pytest.mark.parametrize("released", ["", "soon", "9999"])
def test_what_is_no_date_is_no_date_after_another(three: Path, released: str) -> None:
    dataset = read_dataset(three.parent / "ada.jsonl")
    undated = replace(dataset, about=replace(dataset.about, provenance=Provenance(released=released)))

    with pytest.raises(InputError, match=r"no task is left; .*leaves out 2 tasks: 2 of ada \(no date .*; give an earl"):
        released_after(undated, date(2020, 1, 1), three)
