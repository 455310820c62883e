"""Trains the ranker from datasets.

Whatever a feature has from other tasks must come from tasks that the row does not belong to. So the lexicon whose
sums are features of one dataset is learned from the others, and the one that goes into the model from all.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.util import find_spec

from runner.errors import InputError
from runner.suites.codrep.dataset import CodrepDataset
from runner.suites.codrep.ranker.candidates import Chooser
from runner.suites.codrep.ranker.model import Card, Model
from runner.suites.codrep.ranker.table import FEATURES, without
from runner.suites.codrep.training.boost import boost, export
from runner.suites.codrep.training.cached_rows import feature_rows, trait_rows
from runner.suites.codrep.training.choosing import choosing_weights
from runner.suites.codrep.training.gather_features import FeatureRows, teaching
from runner.suites.codrep.training.learn_lexicon import fit_lexicon, join
from runner.suites.codrep.training.recipe import Recipe

Say = Callable[[str], None]


def train(datasets: Sequence[CodrepDataset], recipe: Recipe, say: Say) -> Model:
    """The model of some datasets, its card without a date; one dataset alone is halved, so that there are others.

    Raises InputError where there is too little to learn from.
    """
    parts = list(datasets) if len(datasets) > 1 else halves(datasets[0])
    _check(parts)
    weights = choosing_weights(parts, recipe.jobs)
    traits = [trait_rows(part, recipe, weights) for part in parts]
    say(f"read {sum(len(rows.choices.sizes) for rows in traits)} tasks; datasets: {len(datasets)}")
    rows: list[FeatureRows] = []
    for index, dataset in enumerate(parts):
        lexicon = fit_lexicon(join([*traits[:index], *traits[index + 1 :]]))
        rows.append(feature_rows(dataset, recipe, Chooser(weights, lexicon)))
        say(f"{dataset.name}: {len(rows[-1].lines)} candidates, a lexicon of {len(lexicon.hashes)} from the others")
    lexicon = fit_lexicon(join(traits))
    names = without(recipe.left_out)
    columns = [number for number, feature in enumerate(FEATURES) if feature.name in names]
    table, choices = teaching(rows, columns)
    boosters = []
    for seed in recipe.seeds:
        boosters.append(boost(table, choices, recipe.trees, seed))
        say(f"seed {seed}: {recipe.trees} trees")
    return Model(Chooser(weights, lexicon), names, export(boosters), _card(datasets, recipe, len(lexicon.hashes)))


def halves(dataset: CodrepDataset) -> list[CodrepDataset]:
    """Every other task of a dataset, and the rest."""
    first = replace(dataset, every=2 * dataset.every)
    return [first, replace(first, first=dataset.first + dataset.every)]


def _check(parts: Sequence[CodrepDataset]) -> None:
    for part in parts:
        if part.solutions is None:
            raise InputError(f"{part.tasks.parent}: no folder Solutions, so nothing can be learned from it")
        if not part.task_paths():
            raise InputError(f"{part.tasks.parent}: too few tasks to learn from")
    # Checked now, not after hours of reading.
    for library, module in (("LightGBM", "lightgbm"), ("SciPy", "scipy")):
        if find_spec(module) is None:
            raise InputError(f"training needs {library}: install the extra `train`")


def _card(datasets: Sequence[CodrepDataset], recipe: Recipe, traits: int) -> Card:
    tasks = {dataset.name: len(dataset.task_paths()) for dataset in datasets}
    return Card(tasks, recipe.trees, recipe.seeds, recipe.rows, recipe.left_out, traits)
