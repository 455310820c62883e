"""Training from folders of tasks: what is left out stays unseen, and what was made once is used again."""

import importlib.util
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from runner.errors import InputError
from runner.suites.codrep.dataset import CodrepDataset, open_dataset
from runner.suites.codrep.ranker.model import Model
from runner.suites.codrep.ranker.ranking import ranking
from runner.suites.codrep.ranker.table import GROUPS
from runner.suites.codrep.training.cache import Arrays, cached
from runner.suites.codrep.training.gather import gather_choices, gather_traits
from runner.suites.codrep.training.leave_one_out import leave_one_out
from runner.suites.codrep.training.recipe import Recipe
from runner.suites.codrep.training.train import halves, train
from tests.codrep import PROGRAM, SAMPLE, task_of

pytestmark = pytest.mark.skipif(
    not all(importlib.util.find_spec(name) for name in ("lightgbm", "scipy")),
    reason="LightGBM and SciPy are not installed: the extra `train` brings them",
)

SMALL = Recipe(trees=3, seeds=(1,))


@pytest.fixture
def datasets(tmp_path: Path) -> list[CodrepDataset]:
    """The sample's tasks, shared out to three datasets."""
    for path in sorted((SAMPLE / "Tasks").glob("*.txt")):
        root = tmp_path / "ABC"[int(path.stem) % 3]
        for folder in ("Tasks", "Solutions"):
            (root / folder).mkdir(parents=True, exist_ok=True)
            shutil.copy(SAMPLE / folder / path.name, root / folder / path.name)
    return [open_dataset(tmp_path / name) for name in "ABC"]


def quiet(_: str) -> None:
    """Say nothing."""


def answer(model: Model) -> int:
    return ranking(model)(task_of("sum += item.price() * 2;", *PROGRAM)).answer


def test_a_model_of_few_tasks_can_rank(datasets: list[CodrepDataset]) -> None:
    model = train(datasets, SMALL, quiet)

    assert model.card.datasets == {dataset.name: len(dataset.task_paths()) for dataset in datasets}
    assert answer(model) in range(1, len(PROGRAM) + 1)


def test_the_same_recipe_makes_the_same_model(datasets: list[CodrepDataset]) -> None:
    one, two = (train(datasets, replace(SMALL, jobs=jobs), quiet) for jobs in (1, 2))

    assert one.chooser.weights == pytest.approx(two.chooser.weights, rel=1e-9)
    assert np.array_equal(one.forest.values, two.forest.values)


def test_one_dataset_alone_is_halved(datasets: list[CodrepDataset]) -> None:
    one, two = halves(replace(datasets[0], every=2))
    told: list[str] = []

    model = train(datasets[:1], SMALL, told.append)

    assert {*one.task_paths(), *two.task_paths()} == set(datasets[0].task_paths()[::2])
    assert not {*one.task_paths()} & {*two.task_paths()}
    assert model.card.datasets == {"A": len(datasets[0].task_paths())}
    assert len([line for line in told if "from the others" in line]) == 2


def test_one_dataset_cannot_be_left_out(datasets: list[CodrepDataset]) -> None:
    with pytest.raises(InputError, match="takes two or more"):
        list(leave_one_out(datasets[:1], datasets[:1], SMALL, quiet))


def test_one_task_is_too_little_to_learn_from(datasets: list[CodrepDataset]) -> None:
    for path in datasets[0].task_paths()[1:]:
        path.unlink()

    with pytest.raises(InputError, match="too few tasks"):
        train(datasets[:1], SMALL, quiet)


@pytest.mark.parametrize("lines, reason", [("x", "no task has a line"), ("\ny\nz", "nothing to learn from")])
def test_tasks_without_a_right_line_are_refused(lines: str, reason: str, datasets: list[CodrepDataset]) -> None:
    for dataset in datasets:
        for path in dataset.task_paths():
            path.write_text(f"x\n\n{lines}\n")
            (dataset.tasks.parent / "Solutions" / path.name).write_text("1")

    with pytest.raises(InputError, match=reason):
        train(datasets, SMALL, quiet)


def test_nothing_is_learned_without_solutions(datasets: list[CodrepDataset]) -> None:
    with pytest.raises(InputError, match="no folder Solutions"):
        train([replace(dataset, solutions=None) for dataset in datasets], SMALL, quiet)


def test_each_dataset_is_scored_by_a_model_of_the_others(datasets: list[CodrepDataset]) -> None:
    told: list[str] = []

    rows = list(leave_one_out(datasets, datasets[:2], SMALL, told.append))

    assert [row.name for row in rows] == ["A", "B"]
    assert [row.tasks for row in rows] == [len(dataset.task_paths()) for dataset in datasets[:2]]
    assert not any(line.startswith("A: ") and "lexicon" in line for line in told[:3])


def test_groups_of_features_can_be_left_out(datasets: list[CodrepDataset]) -> None:
    model = train(datasets, replace(SMALL, left_out=("place", "scope")), quiet)

    assert not set(model.features) & (set(GROUPS["place"]) | set(GROUPS["scope"]))
    assert answer(model) >= 1


def test_every_nth_task_can_be_used(datasets: list[CodrepDataset]) -> None:
    sparse = replace(datasets[0], every=3)

    _, few = gather_choices(sparse, 1)
    _, all_of_them = gather_choices(datasets[0], 1)

    assert len(few.sizes) == -(-len(all_of_them.sizes) // 3)


def test_the_right_candidate_of_each_task_is_marked(datasets: list[CodrepDataset]) -> None:
    table, choices = gather_choices(datasets[0], 1)
    rows = gather_traits(datasets[0], 1, np.ones(table.shape[1]))

    assert np.add.reduceat(choices.right, choices.starts).max() == 1
    assert choices.known().all()
    assert len(rows.similarity) == rows.choices.sizes.sum() == rows.traits.rows.max() + 1


def test_what_was_made_is_read_again_until_it_depends_on_something_else(tmp_path: Path) -> None:
    made: list[int] = []

    def make() -> Arrays:
        made.append(1)
        return {"a": np.arange(3)}

    for parts in ((1, np.ones(2)), (1, np.ones(2)), (1, np.zeros(2))):
        assert cached(tmp_path / "cache", parts, make)["a"].tolist() == [0, 1, 2]

    assert len(made) == 2
    assert len(list((tmp_path / "cache").iterdir())) == 2


def test_without_a_folder_nothing_is_kept(tmp_path: Path) -> None:
    made = [cached(None, (tmp_path,), lambda: {"a": np.arange(2)}) for _ in range(2)]

    assert made[0] is not made[1]
