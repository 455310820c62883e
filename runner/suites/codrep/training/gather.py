"""The measures and traits of many tasks' likeliest lines, which the choice of candidates and the lexicon learn from."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from runner.suites.codrep.dataset import CodrepDataset, CodrepTask
from runner.suites.codrep.ranker.bag import fill
from runner.suites.codrep.ranker.candidates import CHOOSING, choosing_measures, eligible, long_list
from runner.suites.codrep.ranker.lexicon import Traits, find_traits
from runner.suites.codrep.ranker.measures import BRACKETS, measure
from runner.suites.codrep.ranker.program import Floats, Ints, lex
from runner.suites.codrep.ranker.statements import read_statements
from runner.suites.codrep.training.learn_lexicon import TraitRows, join
from runner.suites.codrep.training.logit import Choices
from runner.suites.codrep.training.task_rows import rows_of

# Among how many lines of a task, the best by the sum of all measures, the choice of candidates is learned.
CHOICE_ROWS = 60
# Among how many candidates the lexicon is learned.
LEXICON_ROWS = 20


def gather_choices(dataset: CodrepDataset, jobs: int) -> tuple[Floats, Choices]:
    """The measures of the likeliest lines of each task, lines x len(CHOOSING), and which is right."""
    rows = rows_of(dataset, jobs, _choice_rows)
    return np.concatenate([table for table, _ in rows]), _choices([right for _, right in rows])


def _choice_rows(task: CodrepTask) -> tuple[Floats, Ints] | None:
    program = lex(task.new_line, task.lines)
    measures = measure(program)
    at = np.flatnonzero(eligible(program, measures))
    table = choosing_measures(measures, at)
    signs = np.array([-1 if name in BRACKETS else 1 for name in CHOOSING])
    best = np.argsort(-(table @ signs), kind="stable")[:CHOICE_ROWS]
    return (table[best].astype(np.float32), at[best] == task.answer) if len(at) else None


def gather_traits(dataset: CodrepDataset, jobs: int, weights: Floats) -> TraitRows:
    """The traits of the likeliest candidates of each task."""
    return join(rows_of(dataset, jobs, partial(_trait_rows, weights)))


def _trait_rows(weights: Floats, task: CodrepTask) -> TraitRows | None:
    program = lex(task.new_line, task.lines)
    at, similarity = long_list(program, measure(program), weights, LEXICON_ROWS)
    if not len(at):
        return None
    traits = find_traits(program, at, fill(program, at), read_statements(program).kinds)
    small = Traits(traits.rows.astype(np.int32), traits.groups.astype(np.int8), traits.hashes)
    return TraitRows(_choices([at == task.answer]), similarity.astype(np.float32), small)


def _choices(rights: Sequence[Ints]) -> Choices:
    return Choices(np.array([len(right) for right in rights]), np.concatenate(rights))
