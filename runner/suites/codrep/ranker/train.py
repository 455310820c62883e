"""Training of the ranker from datasets, and the honest figure: each dataset by a model that never saw it.

Whatever a feature has from other tasks must come from tasks that the row does not belong to. So the lexicon whose
sums are features of one dataset is learned from the others, and the one that goes into the model from all.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from runner.errors import InputError
from runner.suites.codrep.competition import Row
from runner.suites.codrep.dataset import Dataset
from runner.suites.codrep.predict import Choice, predict
from runner.suites.codrep.ranker.boost import boost, export
from runner.suites.codrep.ranker.cache import Arrays, cached
from runner.suites.codrep.ranker.candidates import Chooser
from runner.suites.codrep.ranker.gather import FeatureRows, gather_choices, gather_features, gather_traits
from runner.suites.codrep.ranker.learn_lexicon import TraitRows, fit_lexicon, join
from runner.suites.codrep.ranker.lexicon import Lexicon, Traits
from runner.suites.codrep.ranker.logit import Choices, fit_weights
from runner.suites.codrep.ranker.model import Card, Model, save
from runner.suites.codrep.ranker.program import Floats
from runner.suites.codrep.ranker.table import FEATURES, without

# One task in so many teaches the choice of candidates: it has twenty weights.
CHOICE_EVERY = 8

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to train.

    - `trees`, `seeds`: the forest is the mean of one booster a seed, each of so many trees.
    - `rows`: how many candidates of a task, the best by outlook, the forest learns from.
    - `left_out`: groups of features to do without.
    - `jobs`: processes.
    - `cache`: a folder for the arrays made on the way.
    """

    trees: int = 200
    seeds: tuple[int, ...] = (1, 2, 3, 4)
    rows: int = 12
    left_out: tuple[str, ...] = ()
    jobs: int = 1
    cache: Path | None = None


def train(datasets: Sequence[Dataset], recipe: Recipe, say: Say) -> Model:
    """The model of some datasets, its card without a date; one dataset alone is halved, so that there are others.

    Raises InputError where there is too little to learn from.
    """
    parts = list(datasets) if len(datasets) > 1 else halves(datasets[0])
    _check(parts)
    weights = _choosing_weights(parts, recipe)
    traits = [_traits(part, recipe, weights) for part in parts]
    say(f"read {sum(len(rows.choices.sizes) for rows in traits)} tasks; datasets: {len(datasets)}")
    rows: list[FeatureRows] = []
    for index, dataset in enumerate(parts):
        lexicon = fit_lexicon(join([*traits[:index], *traits[index + 1 :]]))
        rows.append(_features(dataset, recipe, Chooser(weights, lexicon)))
        say(f"{dataset.name}: {len(rows[-1].lines)} candidates, a lexicon of {len(lexicon.hashes)} from the others")
    lexicon = fit_lexicon(join(traits))
    names = without(recipe.left_out)
    columns = [number for number, feature in enumerate(FEATURES) if feature.name in names]
    table, choices = _teaching(rows, columns)
    boosters = []
    for seed in recipe.seeds:
        boosters.append(boost(table, choices, recipe.trees, seed))
        say(f"seed {seed}: {recipe.trees} trees")
    return Model(Chooser(weights, lexicon), names, export(boosters), _card(datasets, recipe, lexicon))


def halves(dataset: Dataset) -> list[Dataset]:
    """Every other task of a dataset, and the rest."""
    first = replace(dataset, every=2 * dataset.every)
    return [first, replace(first, first=dataset.first + dataset.every)]


def _check(parts: Sequence[Dataset]) -> None:
    for part in parts:
        if part.solutions is None:
            raise InputError(f"{part.tasks.parent}: no folder Solutions, so nothing can be learned from it")
        if not part.task_paths():
            raise InputError(f"{part.tasks.parent}: too few tasks to learn from")
    # Told now, not when hours of reading are behind it.
    for library, module in (("LightGBM", "lightgbm"), ("SciPy", "scipy")):
        if find_spec(module) is None:
            raise InputError(f"training needs {library}: install the extra `train`")


def leave_one_out(datasets: Sequence[Dataset], held: Sequence[Dataset], recipe: Recipe, say: Say) -> Iterator[Row]:
    """For each dataset of `held` its score by a model trained on the other `datasets`. Raises InputError if alone."""
    if len(datasets) < 2:
        raise InputError("to leave a dataset out takes two or more: one to score, others to train on")
    for dataset in held:
        model = train([other for other in datasets if other != dataset], recipe, say)
        row = test(model, dataset, recipe)
        say(f"{dataset.name}: {row.loss:.4f} by a model of the others, recall {row.recall:.4f}")
        yield row


def test(model: Model, dataset: Dataset, recipe: Recipe) -> Row:
    """The score of a model on a dataset with solutions."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.npz"
        save(model, path)
        lines = list(predict(dataset, Choice("ranker", model=path), jobs=recipe.jobs))
    return Row(dataset.name, tuple(abs(line - (dataset.answer(path) or 0)) for path, line in lines))


def _choosing_weights(datasets: Sequence[Dataset], recipe: Recipe) -> Floats:
    sparse = [replace(dataset, every=dataset.every * CHOICE_EVERY) for dataset in datasets]
    found = [gather_choices(dataset, recipe.jobs) for dataset in sparse]
    sizes = np.concatenate([choices.sizes for _, choices in found])
    right = np.concatenate([choices.right for _, choices in found])
    if not right.any():
        raise InputError("nothing to learn from: no replaced line is among those that could have been")
    return fit_weights(np.concatenate([table for table, _ in found]), Choices(sizes, right))


def _traits(dataset: Dataset, recipe: Recipe, weights: Floats) -> TraitRows:
    def make() -> Arrays:
        rows = gather_traits(dataset, recipe.jobs, weights)
        traits = rows.traits
        return {
            "sizes": rows.choices.sizes,
            "right": rows.choices.right,
            "similarity": rows.similarity,
            "rows": traits.rows,
            "groups": traits.groups,
            "hashes": traits.hashes,
        }

    found = cached(recipe.cache, ("traits", dataset, weights), make)
    traits = Traits(found["rows"].astype(np.int32), found["groups"].astype(np.int8), found["hashes"].astype(np.uint32))
    choices = Choices(found["sizes"].astype(np.int64), found["right"].astype(np.bool_))
    return TraitRows(choices, found["similarity"].astype(np.float32), traits)


def _features(dataset: Dataset, recipe: Recipe, chooser: Chooser) -> FeatureRows:
    def make() -> Arrays:
        rows = gather_features(dataset, recipe.jobs, chooser, recipe.rows)
        return {"sizes": rows.sizes, "lines": rows.lines, "table": rows.table, "answers": rows.answers}

    learned = (chooser.weights, chooser.lexicon.hashes, chooser.lexicon.weights)
    found = cached(recipe.cache, ("features", dataset, recipe.rows, *learned), make)
    return FeatureRows(
        sizes=found["sizes"].astype(np.int64),
        lines=found["lines"].astype(np.int64),
        table=found["table"].astype(np.float32, copy=False),
        answers=found["answers"].astype(np.int64),
    )


def _teaching(rows: Sequence[FeatureRows], columns: Sequence[int]) -> tuple[Floats, Choices]:
    """The rows of the tasks whose right line is among their candidates."""
    known = [part.choices.known() for part in rows]
    table = np.concatenate([part.table[keep][:, columns] for part, keep in zip(rows, known, strict=True)])
    right = np.concatenate([part.choices.right[keep] for part, keep in zip(rows, known, strict=True)])
    sizes = np.concatenate([part.sizes[keep[part.choices.starts]] for part, keep in zip(rows, known, strict=True)])
    return table, Choices(sizes, right)


def _card(datasets: Sequence[Dataset], recipe: Recipe, lexicon: Lexicon) -> Card:
    tasks = {dataset.name: len(dataset.task_paths()) for dataset in datasets}
    return Card(tasks, recipe.trees, recipe.seeds, recipe.rows, recipe.left_out, len(lexicon.hashes))
