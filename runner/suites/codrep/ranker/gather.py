"""From folders of tasks to the arrays that training needs, task by task, in one process or several."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from runner.errors import InputError
from runner.suites.codrep.dataset import Dataset, Task
from runner.suites.codrep.ranker.bag import fill
from runner.suites.codrep.ranker.candidates import CHOOSING, Chooser, choose, choosing_measures, eligible, long_list
from runner.suites.codrep.ranker.features import features_of
from runner.suites.codrep.ranker.learn_lexicon import TraitRows, join
from runner.suites.codrep.ranker.lexicon import Traits, find_traits
from runner.suites.codrep.ranker.logit import Choices
from runner.suites.codrep.ranker.measures import BRACKETS, measure
from runner.suites.codrep.ranker.program import Floats, Ints, lex
from runner.suites.codrep.ranker.statements import read_statements
from runner.suites.codrep.ranker.table import FEATURES, tabulate
from runner.suites.codrep.spread import spread

CHUNK = 128
# Among how many lines of a task, the best by the sum of all measures, the choice of candidates is learned.
CHOICE_ROWS = 60
# Among how many candidates the lexicon is learned.
LEXICON_ROWS = 20

RowT = TypeVar("RowT")


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


def gather_choices(dataset: Dataset, jobs: int) -> tuple[Floats, Choices]:
    """The measures of the likeliest lines of each task, lines x len(CHOOSING), and which is right."""
    rows = _rows_of(dataset, jobs, _choice_rows)
    return np.concatenate([table for table, _ in rows]), _choices([right for _, right in rows])


def _choice_rows(task: Task) -> tuple[Floats, Ints] | None:
    program = lex(task.new_line, task.lines)
    measures = measure(program)
    at = np.flatnonzero(eligible(program, measures))
    table = choosing_measures(measures, at)
    signs = np.array([-1 if name in BRACKETS else 1 for name in CHOOSING])
    best = np.argsort(-(table @ signs), kind="stable")[:CHOICE_ROWS]
    return (table[best].astype(np.float32), at[best] == task.answer) if len(at) else None


def gather_traits(dataset: Dataset, jobs: int, weights: Floats) -> TraitRows:
    """The traits of the likeliest candidates of each task."""
    return join(_rows_of(dataset, jobs, partial(_trait_rows, weights)))


def _trait_rows(weights: Floats, task: Task) -> TraitRows | None:
    program = lex(task.new_line, task.lines)
    at, similarity = long_list(program, measure(program), weights, LEXICON_ROWS)
    if not len(at):
        return None
    traits = find_traits(program, at, fill(program, at), read_statements(program).kinds)
    small = Traits(traits.rows.astype(np.int32), traits.groups.astype(np.int8), traits.hashes)
    return TraitRows(_choices([at == task.answer]), similarity.astype(np.float32), small)


def gather_features(dataset: Dataset, jobs: int, chooser: Chooser, most: int) -> FeatureRows:
    """The features of at most `most` candidates of each task."""
    rows = _rows_of(dataset, jobs, partial(_feature_rows, chooser, most))
    return FeatureRows(
        sizes=np.array([len(lines) for lines, _, _ in rows]),
        lines=np.concatenate([lines for lines, _, _ in rows]),
        table=np.concatenate([table for _, table, _ in rows]),
        answers=np.array([answer for _, _, answer in rows]),
    )


def _feature_rows(chooser: Chooser, most: int, task: Task) -> tuple[Ints, Floats, int] | None:
    candidates = choose(task, chooser)
    if not len(candidates.at) or task.answer is None:
        return None
    table = tabulate(features_of(candidates), [feature.name for feature in FEATURES])
    return candidates.at[:most], table[:most], task.answer


def _choices(rights: Sequence[Ints]) -> Choices:
    return Choices(np.array([len(right) for right in rights]), np.concatenate(rights))


def _rows_of(dataset: Dataset, jobs: int, measure_task: Callable[[Task], RowT | None]) -> list[RowT]:
    rows = list(spread(dataset.task_paths(), partial(_work, dataset, measure_task), jobs, CHUNK))
    if not rows:
        raise InputError(f"{dataset.tasks.parent}: no task has a line that could have been replaced")
    return rows


def _work(dataset: Dataset, measure_task: Callable[[Task], RowT | None], paths: Sequence[Path]) -> list[RowT]:
    """What `measure_task` makes of tasks, without those of which it makes nothing."""
    rows = (measure_task(dataset.read(path)) for path in paths)
    return [row for row in rows if row is not None]
