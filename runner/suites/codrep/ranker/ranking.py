"""The ranker: candidates, their features, a learned score for each, and the line with the least expected loss."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from runner.suites.codrep.dataset import CodrepTask
from runner.suites.codrep.ranker.candidates import SHORT_LIST, Candidates, choose, long_list
from runner.suites.codrep.ranker.decide import best_line
from runner.suites.codrep.ranker.features import features_of
from runner.suites.codrep.ranker.model import Model
from runner.suites.codrep.ranker.program import Floats, Ints
from runner.suites.codrep.ranker.similarities import by_similarity
from runner.suites.codrep.ranker.table import tabulate
from runner.suites.codrep.ranker.trees import lay_out


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Candidate lines and their scores, the best first; both empty where no line can have been replaced."""

    lines: Ints
    scores: Floats

    @property
    def answer(self) -> int:
        """The line to predict; 1 without candidates."""
        return best_line(self.lines, self.scores) if len(self.lines) else 1


# So many lines are to be shown in a window, if there is room: more would take it from what stands around them.
LIKELY = 200


def ranking(model: Model, most: int = SHORT_LIST) -> Callable[[CodrepTask], Ranking]:
    """A function that ranks the candidates of a task."""
    rank = _ranking(model)
    return lambda task: rank(choose(task, model.chooser, most))


def likely_lines(model: Model) -> Callable[[CodrepTask], list[int]]:
    """A function that gives at most `LIKELY` lines of a task, likeliest first: what a window is chosen by.

    Behind the candidates stand, in turn, the lines that are next in their choice and the most similar ones, for which
    nothing was learnt: lines that the one misses by far the other often finds.
    """
    rank = _ranking(model)

    def lines(task: CodrepTask) -> list[int]:
        candidates = choose(task, model.chooser)
        program, measures = candidates.program, candidates.measures
        similar = by_similarity(program, measures)[:LIKELY]
        chosen, _ = long_list(program, measures, model.chooser.weights, LIKELY)
        in_turn = np.stack([chosen, similar], axis=1).ravel()
        return list(dict.fromkeys([*rank(candidates).lines.tolist(), *in_turn.tolist()]))[:LIKELY]

    return lines


def _ranking(model: Model) -> Callable[[Candidates], Ranking]:
    walk = lay_out(model.forest)

    def rank(candidates: Candidates) -> Ranking:
        if not len(candidates.at):
            return Ranking(candidates.at, np.zeros(0))
        scores = walk.scores(tabulate(features_of(candidates), model.features))
        order = np.argsort(-scores, kind="stable")
        return Ranking(candidates.at[order], scores[order])

    return rank
