"""The score, and each trap of the original program: what it aborts on costs one task here."""

import math
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.errors import InputError
from runner.suites.codrep.competition import (
    MOST_SHOWN,
    DatasetScore,
    histogram,
    loss_interval,
    official_lines,
    score,
    task_loss,
)
from runner.suites.codrep.dataset import CodrepDataset, CodrepTask, find_datasets, open_dataset, open_datasets
from runner.suites.codrep.predictors.baselines import any_line, first, last, middle, worst

PROGRAM = "\n".join("abcdef")
ANSWERS = {"1": 3, "2": 1, "10": 6}


@pytest.fixture
def dataset(tmp_path: Path) -> CodrepDataset:
    return make_dataset(tmp_path / "Dataset1")


def make_dataset(root: Path) -> CodrepDataset:
    for name, answer in ANSWERS.items():
        for folder, text in (("Tasks", f"new\n\n{PROGRAM}"), ("Solutions", str(answer))):
            (root / folder).mkdir(parents=True, exist_ok=True)
            (root / folder / f"{name}.txt").write_text(text)
    return open_dataset(root)


def test_perfect_predictions_cost_nothing(dataset: CodrepDataset) -> None:
    lines = [f"{dataset.tasks / name}.txt {answer}" for name, answer in ANSWERS.items()]

    done = score(lines, [dataset])

    assert official_lines(done) == (
        "Total files: 3\nAverage line error: 0.0 (the lower, the better)\nRecall@1: 1.0 (the higher, the better)"
    )


def test_no_prediction_costs_one_a_task(dataset: CodrepDataset) -> None:
    done = score([], [dataset])

    assert (done.total.loss, done.total.recall) == (1.0, 0.0)


def test_the_loss_is_the_mean_of_tanh_of_the_distance(dataset: CodrepDataset) -> None:
    done = score(["Dataset1/1 4", "Dataset1/2 1", "Dataset1/10 4"], [dataset])

    assert done.total.loss == pytest.approx((math.tanh(1) + 0 + math.tanh(2)) / 3, abs=1e-15)
    assert done.total.recall == 1 / 3


@pytest.mark.parametrize(
    "line, reason",
    [
        pytest.param("", "a path and a line number", id="a blank line"),
        pytest.param("Dataset1/1", "a path and a line number", id="one field"),
        pytest.param("Dataset1/1 3.0", "3.0 should be an integer", id="no integer"),
        pytest.param("Dataset1/7 1", "Dataset1/7 does not exist", id="no such task"),
        pytest.param("a\0/b/c 1", "does not exist", id="a name that no file can have"),
        pytest.param(f"{300 * 'a'} 1", "does not exist", id="a name longer than any file's"),
        pytest.param("Dataset1/1 0", "from 1 to 6, found 0", id="line 0"),
        pytest.param("Dataset1/1 7", "from 1 to 6, found 7", id="past the end"),
        pytest.param("Dataset1/1 -1", "from 1 to 6, found -1", id="a negative line"),
    ],
)
def test_a_line_that_aborts_the_original_costs_its_task_alone(line: str, reason: str, dataset: CodrepDataset) -> None:
    done = score([line, "Dataset1/2 1", "Dataset1/10 6"], [dataset])

    (bad,) = done.bad_lines
    assert (bad.number, reason in bad.reason) == (1, True)
    assert done.rows[0].distances == (None, 0, 0)


def test_strict_ends_at_the_first_bad_line(dataset: CodrepDataset) -> None:
    with pytest.raises(InputError, match=r"line 2: 3\.0 should be an integer"):
        score(["Dataset1/1 3", "Dataset1/2 3.0", ""], [dataset], strict=True)


def test_two_predictions_for_a_task_are_none(dataset: CodrepDataset) -> None:
    done = score(["Dataset1/1 3", f"{dataset.tasks}/1.txt 3"], [dataset])

    assert [bad.number for bad in done.bad_lines] == [2]
    assert done.rows[0].distances == (None, None, None)


def test_a_good_line_does_not_mend_a_bad_one(dataset: CodrepDataset) -> None:
    done = score(["Dataset1/1 0", "Dataset1/1 3"], [dataset])

    assert [bad.number for bad in done.bad_lines] == [1, 2]
    assert done.rows[0].distances[0] is None


@pytest.mark.parametrize("written", ["+3", "0_3", " 3 ignored 9", "03"])
def test_whatever_python_reads_as_an_integer_counts(written: str, dataset: CodrepDataset) -> None:
    assert score([f"Dataset1/1 {written}"], [dataset]).rows[0].distances[0] == 0


@pytest.mark.parametrize(
    "rewrite",
    [
        pytest.param(str, id="absolute"),
        pytest.param(os.path.relpath, id="relative"),
        pytest.param(lambda path: f"{path.parent}//./{path.name}", id="doubled slash and dot"),
        pytest.param(lambda path: f"{path.parent}/../Tasks/{path.name}", id="up and down"),
    ],
)
def test_a_path_counts_however_it_is_written(rewrite: Callable[[Path], str], dataset: CodrepDataset) -> None:
    done = score([f"{rewrite(dataset.tasks / '1.txt')} 3"], [dataset])

    assert (done.rows[0].distances[0], done.bad_lines) == (0, ())


def test_a_path_through_a_link_counts(dataset: CodrepDataset, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(dataset.tasks.parent)

    assert score([f"{tmp_path}/link/Tasks/1.txt 3"], [dataset]).rows[0].distances[0] == 0


def test_a_dataset_whose_name_begins_alike_is_not_chosen(dataset: CodrepDataset, tmp_path: Path) -> None:
    other = make_dataset(tmp_path / "Dataset10")

    done = score([f"{other.tasks}/1.txt 3"], [dataset])

    assert "in none of the chosen datasets" in done.bad_lines[0].reason
    assert done.total.tasks == 3


def test_a_folder_above_may_be_called_tasks(tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path / "Tasks" / "Dataset1")

    assert score([f"{dataset.tasks}/1.txt 3"], [dataset]).rows[0].distances[0] == 0


def test_a_dataset_named_twice_counts_once(dataset: CodrepDataset) -> None:
    chosen = open_datasets([dataset.tasks.parent, dataset.tasks.parent])

    assert score([], chosen).total.tasks == 3


def test_files_that_are_no_tasks_are_not_counted(dataset: CodrepDataset) -> None:
    (dataset.tasks / "notes.md").write_text("no task")

    assert score([], [dataset]).total.tasks == 3


def twins(tmp_path: Path) -> tuple[CodrepDataset, ...]:
    """Two datasets in folders of one name."""
    return find_datasets([make_dataset(tmp_path / place / "D").tasks.parent for place in ("p", "q")])


def test_datasets_of_one_name_are_told_apart_by_path(tmp_path: Path) -> None:
    done = score([f"{tmp_path}/p/D/Tasks/1.txt 3", f"{tmp_path}/q/D/Tasks/1.txt 4"], twins(tmp_path))

    assert [row.distances for row in done.rows] == [(0, None, None), (1, None, None)]
    assert [row.name for row in done.rows] == [f"{tmp_path}/p/D", f"{tmp_path}/q/D"]


def test_an_id_that_two_datasets_have_is_a_bad_line(tmp_path: Path) -> None:
    done = score(["D/1 3", f"{tmp_path}/p/D/Tasks/1.txt 3"], twins(tmp_path))

    assert [bad.reason for bad in done.bad_lines] == ["D/1 is a task of 2 of the chosen datasets; give its path"]
    assert done.total.distances.count(0) == 1


@pytest.mark.parametrize(
    "line, reason",
    [
        pytest.param("Dataset1/1 {long}", "should be an integer", id="a number that is none"),
        pytest.param("Dataset1/1 {digits}", "from 1 to 6, found 777", id="a number of very many digits"),
        pytest.param("{long} 1", "does not exist", id="a path"),
    ],
)
def test_of_a_long_field_the_ends_are_shown(line: str, reason: str, dataset: CodrepDataset) -> None:
    (bad,) = score([line.format(long="x" * 5000, digits="7" * 4000)], [dataset]).bad_lines

    assert reason in bad.reason
    assert "..." in bad.reason
    assert len(bad.reason) < MOST_SHOWN + 80


def test_the_solution_of_a_task_that_nobody_predicts_is_not_asked_for(dataset: CodrepDataset) -> None:
    (dataset.tasks.parent / "Solutions" / "1.txt").unlink()
    (dataset.tasks.parent / "Solutions" / "2.txt").write_text("nonsense")

    done = score(["Dataset1/10 6"], [dataset])

    assert (done.rows[0].distances, done.bad_lines) == ((None, None, 0), ())


@pytest.mark.parametrize(
    "spoil, reason",
    [
        pytest.param(Path.unlink, "1.txt: the solution is missing", id="missing"),
        pytest.param(lambda path: path.write_text("x"), "1.txt: a solution is one line number", id="no number"),
        pytest.param(lambda path: (path.unlink(), path.mkdir()), "1.txt: Is a directory", id="a folder"),
    ],
)
def test_a_prediction_without_a_solution_costs_one(
    spoil: Callable[[Path], object], reason: str, dataset: CodrepDataset
) -> None:
    spoil(dataset.tasks.parent / "Solutions" / "1.txt")

    done = score(["Dataset1/1 3", "Dataset1/2 1"], [dataset])

    (bad,) = done.bad_lines
    assert (bad.number, bad.reason.endswith(reason)) == (1, True)
    assert done.rows[0].distances == (None, 0, None)
    with pytest.raises(InputError, match=f"line 1: .*{reason}"):
        score(["Dataset1/1 3"], [dataset], strict=True)


def test_no_tasks_are_refused(tmp_path: Path) -> None:
    for folder in ("Tasks", "Solutions"):
        (tmp_path / folder).mkdir()

    with pytest.raises(InputError, match="hold no tasks"):
        score([], [open_dataset(tmp_path)])


def test_nothing_is_scored_without_solutions(tmp_path: Path) -> None:
    (tmp_path / "Tasks").mkdir()

    with pytest.raises(InputError, match="no folder Solutions"):
        score([], [open_dataset(tmp_path)])


def test_each_dataset_has_its_row(dataset: CodrepDataset, tmp_path: Path) -> None:
    other = make_dataset(tmp_path / "Dataset2")

    done = score(["Dataset2/1 3"], [dataset, other])

    assert [(row.name, row.recall) for row in done.rows] == [("Dataset1", 0.0), ("Dataset2", 1 / 3)]
    assert done.total.recall == 1 / 6


@given(st.lists(st.none() | st.integers(0, 300), min_size=1))
def test_the_order_of_tasks_changes_no_digit(distances: list[int | None]) -> None:
    assert DatasetScore("a", tuple(distances)).loss == DatasetScore("a", tuple(reversed(distances))).loss


@given(st.integers(0, 10_000))
def test_a_task_costs_at_most_as_much_as_no_answer(distance: int) -> None:
    assert 0 <= task_loss(distance) <= task_loss(None)


def test_distances_are_gathered_in_bins() -> None:
    row = DatasetScore("a", (0, 0, 1, 5, 6, 10, 11, 100, 101, None))

    assert histogram(row) == {"0": 2, "1": 1, "5": 1, "6-10": 2, "11-100": 2, ">100": 1, "none": 1}


def test_the_interval_holds_the_loss_and_is_the_same_for_a_seed() -> None:
    row = DatasetScore("a", (0,) * 90 + (1, 2, 3, None) * 3)

    low, high = loss_interval(row, seed=1)

    assert low < row.loss < high
    assert high - low == pytest.approx(4 * math.sqrt(row.loss * (1 - row.loss) / row.tasks), rel=0.15)
    assert loss_interval(row, seed=1) == (low, high)


def task(lines: int, answer: int | None) -> CodrepTask:
    return CodrepTask("D/1", Path("1.txt"), "new", tuple("x" * lines), answer)


@pytest.mark.parametrize(
    "lines, answer, expected",
    [
        pytest.param(9, 5, (1, 4, 9, 9), id="the answer in the middle"),
        pytest.param(9, 6, (1, 4, 9, 1), id="the answer past the middle"),
        pytest.param(1, 1, (1, 1, 1, 1), id="a program of one line"),
    ],
)
def test_fixed_places_are_those_of_the_competition(lines: int, answer: int, expected: tuple[int, ...]) -> None:
    assert tuple(baseline(task(lines, answer)) for baseline in (first, middle, last, worst)) == expected


def test_the_worst_line_needs_the_answer() -> None:
    with pytest.raises(InputError, match="needs the solution"):
        worst(task(3, None))


def test_random_lines_depend_on_seed_and_task_alone() -> None:
    drawn = [any_line(task(1000, None), seed) for seed in range(50)]

    assert drawn == [any_line(task(1000, None), seed) for seed in range(50)]
    assert len(set(drawn)) > 40
    assert all(1 <= line <= 1000 for line in drawn)
