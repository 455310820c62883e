"""The features of many tasks' candidates, which the forest learns from."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from runner.suites.codrep.dataset import CodrepDataset, CodrepTask
from runner.suites.codrep.ranker.candidates import Chooser, choose
from runner.suites.codrep.ranker.features import features_of
from runner.suites.codrep.ranker.program import Floats, Ints
from runner.suites.codrep.ranker.table import FEATURES, tabulate
from runner.suites.codrep.training.logit import Choices
from runner.suites.codrep.training.task_rows import rows_of


@dataclass(frozen=True, slots=True, eq=False)
class FeatureRows:
    """The candidates of many tasks: their sizes by task, lines, features (columns of FEATURES), and the answers."""

    sizes: Ints
    lines: Ints
    table: Floats
    answers: Ints

    @property
    def choices(self) -> Choices:
        """Which candidate is right, of the tasks that have candidates."""
        return Choices(self.sizes, self.lines == np.repeat(self.answers, self.sizes))


def gather_features(dataset: CodrepDataset, jobs: int, chooser: Chooser, most: int) -> FeatureRows:
    """The features of at most `most` candidates of each task."""
    rows = rows_of(dataset, jobs, partial(_feature_rows, chooser, most))
    return FeatureRows(
        sizes=np.array([len(lines) for lines, _, _ in rows]),
        lines=np.concatenate([lines for lines, _, _ in rows]),
        table=np.concatenate([table for _, table, _ in rows]),
        answers=np.array([answer for _, _, answer in rows]),
    )


def _feature_rows(chooser: Chooser, most: int, task: CodrepTask) -> tuple[Ints, Floats, int] | None:
    candidates = choose(task, chooser)
    if not len(candidates.at) or task.answer is None:
        return None
    table = tabulate(features_of(candidates), [feature.name for feature in FEATURES])
    return candidates.at[:most], table[:most], task.answer


def teaching(rows: Sequence[FeatureRows], columns: Sequence[int]) -> tuple[Floats, Choices]:
    """These columns of the tasks whose right line is among their candidates, and which candidate is right."""
    known = [part.choices.known() for part in rows]
    table = np.concatenate([part.table[keep][:, columns] for part, keep in zip(rows, known, strict=True)])
    right = np.concatenate([part.choices.right[keep] for part, keep in zip(rows, known, strict=True)])
    sizes = np.concatenate([part.sizes[keep[part.choices.starts]] for part, keep in zip(rows, known, strict=True)])
    return table, Choices(sizes, right)
