"""The conditional logit: weights that make the right one of each task's candidates the likeliest."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from runner.suites.codrep.ranker.program import Bools, Floats, Ints

STEPS = 20
SMALL = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Choices:
    """Tasks and their candidates, one row each: how many each task has, and which row is right.

    Every task has at least one candidate; one whose right line is not among them teaches nothing.
    """

    sizes: Ints
    right: Bools

    @property
    def starts(self) -> Ints:
        """Each task's first row."""
        return np.cumsum(self.sizes) - self.sizes

    def known(self) -> Bools:
        """For each row whether its task has the right line among its candidates."""
        has = np.logical_or.reduceat(self.right, self.starts)
        return np.repeat(has, self.sizes)

    def likelihoods(self, scores: Floats) -> npt.NDArray[np.float64]:
        """The softmax of the scores within each task."""
        task = np.repeat(np.arange(len(self.sizes)), self.sizes)
        raised = np.exp(scores - np.maximum.reduceat(scores, self.starts)[task])
        return raised / np.add.reduceat(raised, self.starts)[task]


def fit_weights(table: Floats, choices: Choices, ridge: float = 1.0) -> Floats:
    """The weights of few features, by Newton's method with halved steps where a full one overshoots.

    `ridge` is the penalty on the squares of the standardised weights.
    """
    kept = choices.known()
    right = choices.right & kept
    scale = table[kept].std(axis=0) + 1e-9
    rows = table / scale

    def cost(weights: Floats) -> float:
        chances = choices.likelihoods(rows @ weights)[right]
        return float(ridge / 2 * weights @ weights - np.log(chances + 1e-300).sum())

    weights = np.zeros(table.shape[1])
    for _ in range(STEPS):
        chances = np.where(kept, choices.likelihoods(rows @ weights), 0)
        means = np.add.reduceat(rows * chances[:, None], choices.starts)
        curve = (rows * chances[:, None]).T @ rows - means.T @ means + ridge * np.eye(len(weights))
        step = np.linalg.solve(curve, rows.T @ (chances - right) + ridge * weights)
        while cost(weights - step) > cost(weights) and np.abs(step).max() > SMALL:
            step /= 2
        weights = weights - step
        if np.abs(step).max() <= SMALL:
            break
    scaled: Floats = weights / scale
    return scaled
