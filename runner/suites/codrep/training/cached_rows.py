"""What training reads of each dataset, kept in the recipe's cache: it takes most of the time."""

import numpy as np

from runner.suites.codrep.dataset import CodrepDataset
from runner.suites.codrep.ranker.candidates import Chooser
from runner.suites.codrep.ranker.lexicon import Traits
from runner.suites.codrep.ranker.program import Floats
from runner.suites.codrep.training.cache import Arrays, cached
from runner.suites.codrep.training.gather import gather_traits
from runner.suites.codrep.training.gather_features import FeatureRows, gather_features
from runner.suites.codrep.training.learn_lexicon import TraitRows
from runner.suites.codrep.training.logit import Choices
from runner.suites.codrep.training.recipe import Recipe


def trait_rows(dataset: CodrepDataset, recipe: Recipe, weights: Floats) -> TraitRows:
    """The traits of the candidates of a dataset, which are chosen by these weights."""

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

    rows = cached(recipe.cache, ("traits", dataset, weights), make)
    traits = Traits(rows["rows"].astype(np.int32), rows["groups"].astype(np.int8), rows["hashes"].astype(np.uint32))
    choices = Choices(rows["sizes"].astype(np.int64), rows["right"].astype(np.bool_))
    return TraitRows(choices, rows["similarity"].astype(np.float32), traits)


def feature_rows(dataset: CodrepDataset, recipe: Recipe, chooser: Chooser) -> FeatureRows:
    """The features of the candidates of a dataset."""

    def make() -> Arrays:
        rows = gather_features(dataset, recipe.jobs, chooser, recipe.rows)
        return {"sizes": rows.sizes, "lines": rows.lines, "table": rows.table, "answers": rows.answers}

    learned = (chooser.weights, chooser.lexicon.hashes, chooser.lexicon.weights)
    rows = cached(recipe.cache, ("features", dataset, recipe.rows, *learned), make)
    return FeatureRows(
        sizes=rows["sizes"].astype(np.int64),
        lines=rows["lines"].astype(np.int64),
        table=rows["table"].astype(np.float32, copy=False),
        answers=rows["answers"].astype(np.int64),
    )
