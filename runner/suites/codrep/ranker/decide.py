"""From scores to a line: the candidate with the least expected loss."""

import numpy as np

from runner.suites.codrep.ranker.program import Floats, Ints


def likelihoods(scores: Floats) -> Floats:
    """The softmax of the scores."""
    raised = np.exp(scores - scores.max())
    shares: Floats = raised / raised.sum()
    return shares


def best_line(lines: Ints, scores: Floats) -> int:
    """The line whose mean of tanh(distance), over the likelihoods of all candidates, is least; the first of equals."""
    losses = np.tanh(np.abs(lines[:, None] - lines)) @ likelihoods(scores)
    return int(lines[np.argmin(losses)])
