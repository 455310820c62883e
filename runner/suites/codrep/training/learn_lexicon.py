"""Learning of the lexicon: a conditional logit with a weight for each frequent trait (SciPy, extra `train`)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from runner.errors import InputError
from runner.suites.codrep.ranker.lexicon import Lexicon, Traits
from runner.suites.codrep.ranker.program import Floats
from runner.suites.codrep.training.logit import Choices

# A trait is learned when the right line has it in so many tasks, or any candidate so often.
LEAST_RIGHT = 3
LEAST_ROWS = 160
RIDGE = 6.0
ITERATIONS = 60
# Weights smaller than this say nothing that their place in the model would be worth.
LEAST_WEIGHT = 0.02


@dataclass(frozen=True, slots=True, eq=False)
class TraitRows:
    """The candidates of many tasks: which is right, how similar each is to its new line, and their traits."""

    choices: Choices
    similarity: Floats
    traits: Traits


def join(parts: Sequence[TraitRows]) -> TraitRows:
    """The rows of several parts, one after the other."""
    ends = np.cumsum([len(part.similarity) for part in parts])
    shifts = ends - [len(part.similarity) for part in parts]
    choices = Choices(
        np.concatenate([part.choices.sizes for part in parts]), np.concatenate([part.choices.right for part in parts])
    )
    traits = Traits(
        np.concatenate([part.traits.rows + shift for part, shift in zip(parts, shifts, strict=True)]),
        np.concatenate([part.traits.groups for part in parts]),
        np.concatenate([part.traits.hashes for part in parts]),
    )
    return TraitRows(choices, np.concatenate([part.similarity for part in parts]), traits)


def fit_lexicon(rows: TraitRows) -> Lexicon:
    """The weights that, added to the similarities, make the right candidates likeliest. Raises InputError."""
    try:
        from scipy.optimize import minimize
        from scipy.sparse import csr_matrix
    except ImportError:
        raise InputError("training needs SciPy: install the extra `train`") from None

    known = _frequent(rows)
    if not len(known):
        return Lexicon(known, np.zeros(0))
    at = np.minimum(np.searchsorted(known, rows.traits.hashes), len(known) - 1)
    hit = known[at] == rows.traits.hashes
    shape = (len(rows.similarity), len(known))
    has = csr_matrix((np.ones(int(hit.sum()), np.float32), (rows.traits.rows[hit], at[hit])), shape)
    turned = has.T.tocsr()
    teaches = rows.choices.known()
    right = rows.choices.right & teaches

    def cost(weights: Floats) -> tuple[float, Floats]:
        chances = rows.choices.likelihoods(rows.similarity + has @ weights)
        slope = turned @ (np.where(teaches, chances, 0) - right) + RIDGE * weights
        return float(RIDGE / 2 * weights @ weights - np.log(chances[right] + 1e-12).sum()), slope

    result = minimize(cost, np.zeros(len(known)), jac=True, method="L-BFGS-B", options={"maxiter": ITERATIONS})
    weighty = np.abs(result.x) >= LEAST_WEIGHT
    return Lexicon(known[weighty], result.x[weighty].astype(np.float16).astype(np.float32))


def _frequent(rows: TraitRows) -> npt.NDArray[np.uint32]:
    """The traits that are learned, ascending."""
    right, counts = np.unique(rows.traits.hashes[rows.choices.right[rows.traits.rows]], return_counts=True)
    every, totals = np.unique(rows.traits.hashes, return_counts=True)
    return np.union1d(right[counts >= LEAST_RIGHT], every[totals >= LEAST_ROWS])
