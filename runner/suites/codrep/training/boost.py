"""Training of the forest: gradient boosting (LightGBM, extra `train`) of a listwise softmax, and its export to arrays.

The objective is the conditional logit's: of each task's candidates the right one shall be the likeliest. It beat
LambdaRank here, and its scores are log-likelihoods up to a constant, which the decision needs.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from runner.errors import InputError
from runner.suites.codrep.ranker.program import Floats
from runner.suites.codrep.ranker.trees import Forest
from runner.suites.codrep.training.logit import Choices

if TYPE_CHECKING:
    from lightgbm import Booster, Dataset

PARAMETERS: Mapping[str, object] = {
    "num_leaves": 31,
    "learning_rate": 0.07,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "min_data_in_leaf": 100,
    "min_sum_hessian_in_leaf": 3,
    "lambda_l2": 10,
    "max_bin": 127,
    # Without this a training set of a few tasks would leave no feature, and LightGBM would fail.
    "feature_pre_filter": False,
    "num_threads": 1,
    "deterministic": True,
    "verbose": -1,
}
LEAST_CURVATURE = 1e-3


def boost(table: Floats, choices: Choices, trees: int, seed: int) -> "Booster":
    """A booster of so many trees, trained on candidates x features. Raises InputError without LightGBM."""
    try:
        import lightgbm
    except ImportError:
        raise InputError("training needs LightGBM: install the extra `train`") from None

    def slopes(scores: Floats, _: "Dataset") -> tuple[Floats, Floats]:
        chances = choices.likelihoods(scores)
        return chances - choices.right, np.maximum(chances * (1 - chances), LEAST_CURVATURE)

    data = lightgbm.Dataset(table, label=choices.right.astype(np.int8), params=dict(PARAMETERS))
    return lightgbm.train({**PARAMETERS, "seed": seed, "objective": slopes}, data, num_boost_round=trees)


def export(boosters: "Iterable[Booster]") -> Forest:
    """One forest that gives the mean of some boosters."""
    texts = [booster.model_to_string() for booster in boosters]
    trees = [_fields(tree) for text in texts for tree in text.split("\nTree=")[1:]]
    columns = {name: [_numbers(tree, name) for tree in trees] for name in ("split_feature", "threshold", "leaf_value")}
    sides = {name: [_numbers(tree, name) for tree in trees] for name in ("left_child", "right_child")}
    return Forest(
        feature=np.concatenate(columns["split_feature"]).astype(np.int64),
        threshold=_rounded_down(np.concatenate(columns["threshold"])),
        left=np.concatenate(sides["left_child"]).astype(np.int64),
        right=np.concatenate(sides["right_child"]).astype(np.int64),
        nodes=np.array([len(tree) for tree in columns["threshold"]]),
        leaves=np.array([len(tree) for tree in columns["leaf_value"]]),
        values=np.concatenate(columns["leaf_value"]) / len(texts),
    )


def _fields(tree: str) -> dict[str, str]:
    return dict(line.split("=", maxsplit=1) for line in tree.split("\n\n", maxsplit=1)[0].splitlines()[1:])


def _numbers(tree: Mapping[str, str], name: str) -> Floats:
    return np.array(tree.get(name, "").split(), np.float64)


def _rounded_down(thresholds: Floats) -> Floats:
    """The greatest 32-bit floats that are not greater: 32-bit features fall on the same side of them."""
    rounded = thresholds.astype(np.float32)
    return np.where(rounded > thresholds, np.nextafter(rounded, np.float32(-np.inf)), rounded).astype(np.float32)
