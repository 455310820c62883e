"""Learns the weights by which a task's candidates are chosen."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from runner.errors import InputError
from runner.suites.codrep.dataset import CodrepDataset
from runner.suites.codrep.ranker.program import Floats
from runner.suites.codrep.training.gather import gather_choices
from runner.suites.codrep.training.logit import Choices, fit_weights

# One task in so many teaches the choice of candidates: it has twenty weights.
CHOICE_EVERY = 8


def choosing_weights(datasets: Sequence[CodrepDataset], jobs: int) -> Floats:
    """The weights of the measures. Raises InputError where no replaced line is among the lines that may be."""
    sparse = [replace(dataset, every=dataset.every * CHOICE_EVERY) for dataset in datasets]
    choices = [gather_choices(dataset, jobs) for dataset in sparse]
    sizes = np.concatenate([choices.sizes for _, choices in choices])
    right = np.concatenate([choices.right for _, choices in choices])
    if not right.any():
        raise InputError("nothing to learn from: no replaced line is among those that could have been")
    return fit_weights(np.concatenate([table for table, _ in choices]), Choices(sizes, right))
