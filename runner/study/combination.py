"""A combination of measures against the best of them alone, each fitted to some problems and scored on the others.

Both are linear: the least squares of passing on the standardised scores, on all of them or on the one that goes best
with passing among the problems of the fit. No answer is scored by a fit that has seen its problem, so a combination
cannot win by having more freedom to fit.
"""

from collections.abc import Mapping

import numpy as np

from runner.stats.correlation import Floats, LabelledRows, pearson

COMBINATION = "combination"
BEST_SINGLE = "best-single"
FOLDS = 10
# Measures are alike, some nearly the same: a little of a ridge keeps their coefficients from cancelling each other.
_RIDGE = 1e-3


def held_out(scores: Mapping[str, Floats], rows: LabelledRows, *, seed: int, folds: int = FOLDS) -> dict[str, Floats]:
    """Return a score for each row by the combination and by the best single measure, from fits without its problem.

    Problems are dealt into `folds` parts, or one problem each where there are fewer. With one problem there is nothing
    to fit, and every score is 0.
    """
    problems = int(rows.codes.max()) + 1
    parts = np.random.default_rng(seed).permutation(problems) % folds
    part_of_row = parts[rows.codes]
    table = np.column_stack(list(scores.values()))
    combined, single = np.zeros(len(table)), np.zeros(len(table))
    for part in range(min(folds, problems) if problems > 1 else 0):
        test = part_of_row == part
        seen = _rows_of(rows, ~test)
        best = [_best(table[~test], seen)]
        combined[test] = _fitted(table[~test], seen, table[test])
        single[test] = _fitted(table[~test][:, best], seen, table[test][:, best])
    return {COMBINATION: combined, BEST_SINGLE: single}


def _rows_of(rows: LabelledRows, chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> LabelledRows:
    return LabelledRows(rows.labels[chosen], rows.codes[chosen], rows.counts[chosen])


def _best(table: Floats, rows: LabelledRows) -> int:
    """Return the column that correlates most with passing; the first where none varies."""
    ones = np.ones((1, int(rows.codes.max()) + 1))
    correlations = [float(pearson(column, rows, ones)[0]) for column in table.T]
    return int(np.argmax(np.nan_to_num(np.abs(correlations), nan=-1.0)))


def _fitted(table: Floats, rows: LabelledRows, unseen: Floats) -> Floats:
    """Return what the least squares on `table`, weighted by counts, predict of `unseen`."""
    mean = np.average(table, axis=0, weights=rows.counts)
    spread = np.sqrt(np.average((table - mean) ** 2, axis=0, weights=rows.counts))
    spread[spread < 1e-12] = np.inf
    known, held_back = (table - mean) / spread, (unseen - mean) / spread
    passed = np.average(rows.labels, weights=rows.counts)
    gram = (known * rows.counts[:, None]).T @ known + _RIDGE * rows.counts.sum() * np.eye(table.shape[1])
    slopes = np.linalg.solve(gram, (known * rows.counts[:, None]).T @ (rows.labels - passed))
    predicted: Floats = passed + held_back @ slopes
    return predicted
