"""The ranker's figures on datasets that it was not trained on: each is scored by a model of the others."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from runner.errors import InputError
from runner.suites.codrep.competition import DatasetScore
from runner.suites.codrep.dataset import CodrepDataset
from runner.suites.codrep.predictors.predict import Choice, predict
from runner.suites.codrep.ranker.model import Model, save
from runner.suites.codrep.training.recipe import Recipe
from runner.suites.codrep.training.train import Say, train


def leave_one_out(
    datasets: Sequence[CodrepDataset], held: Sequence[CodrepDataset], recipe: Recipe, say: Say
) -> Iterator[DatasetScore]:
    """For each dataset of `held` its score by a model trained on the other `datasets`. Raises InputError if alone."""
    if len(datasets) < 2:
        raise InputError("to leave a dataset out takes two or more: one to score, others to train on")
    for dataset in held:
        model = train([other for other in datasets if other != dataset], recipe, say)
        row = score_of(model, dataset, recipe)
        say(f"{dataset.name}: {row.loss:.4f} by a model of the others, recall {row.recall:.4f}")
        yield row


def score_of(model: Model, dataset: CodrepDataset, recipe: Recipe) -> DatasetScore:
    """The score of a model on a dataset with solutions."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.npz"
        save(model, path)
        lines = list(predict(dataset, Choice("ranker", model=path), jobs=recipe.jobs))
    return DatasetScore(dataset.name, tuple(abs(line - (dataset.answer(path) or 0)) for path, line in lines))
