"""Predictors by similarity alone, without learning: one that was tried in 2018, and a sum chosen by hand."""

import numpy as np

from runner.suites.codrep.dataset import CodrepTask
from runner.suites.codrep.ranker.candidates import eligible
from runner.suites.codrep.ranker.measures import BRACKETS, LineMeasures, measure
from runner.suites.codrep.ranker.program import Floats, Ints, Program, lex

# The terms of the formula; a line whose brackets do not balance as the new line's do loses as much as one of them.
FORMULA = ("trigram", "indel", "word_dice", "rare_dice")


def trigram(task: CodrepTask) -> int:
    """The line that shares the most character trigrams with the new one; the first of equals."""
    return _best(task, ("trigram",))


def formula(task: CodrepTask) -> int:
    """The line with the greatest sum of four similarities, less one where the brackets differ."""
    return _best(task, FORMULA, fitting=True)


def by_similarity(program: Program, measures: LineMeasures) -> Ints:
    """All lines that may have been replaced, those with the greatest sum of the four similarities first."""
    at = np.flatnonzero(eligible(program, measures))
    scores = np.sum([measures.by_name[name][at] for name in FORMULA], axis=0)
    return at[np.argsort(-scores, kind="stable")]


def _best(task: CodrepTask, names: tuple[str, ...], *, fitting: bool = False) -> int:
    program = lex(task.new_line, task.lines)
    measures = measure(program)
    at = np.flatnonzero(eligible(program, measures))
    if not len(at):
        return 1
    scores = np.sum([measures.by_name[name] for name in names], axis=0)
    if fitting:
        scores = scores - _misfits(measures)
    return int(at[np.argmax(scores[at])])


def _misfits(measures: LineMeasures) -> Floats:
    """1 for each line whose net count of any bracket differs from the new line's."""
    nets = np.stack([measures.by_name[name] for name in BRACKETS])
    misfits: Floats = np.any(nets != 0, axis=0).astype(np.float64)
    return misfits
