"""The ranker: candidates, their features, a learned score for each, and the line with the least expected loss."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from runner.suites.codrep.candidates import SHORT_LIST, choose, long_list
from runner.suites.codrep.dataset import Task
from runner.suites.codrep.decide import best_line
from runner.suites.codrep.features import features_of
from runner.suites.codrep.measures import measure
from runner.suites.codrep.model import Model
from runner.suites.codrep.program import Floats, Ints, lex
from runner.suites.codrep.table import tabulate
from runner.suites.codrep.trees import lay_out


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Candidate lines and their scores, the best first; both empty where no line can have been replaced."""

    lines: Ints
    scores: Floats

    @property
    def answer(self) -> int:
        """The line to predict; 1 without candidates."""
        return best_line(self.lines, self.scores) if len(self.lines) else 1


# How many more lines, by similarity alone, follow the candidates where a window is to be filled.
FURTHER = 200


def ranking(model: Model, most: int = SHORT_LIST) -> Callable[[Task], Ranking]:
    """A function that ranks the candidates of a task."""
    walk = lay_out(model.forest)

    def rank(task: Task) -> Ranking:
        candidates = choose(task, model.chooser, most)
        if not len(candidates.at):
            return Ranking(candidates.at, np.zeros(0))
        scores = walk.scores(tabulate(features_of(candidates), model.features))
        order = np.argsort(-scores, kind="stable")
        return Ranking(candidates.at[order], scores[order])

    return rank


def likely_lines(model: Model) -> Callable[[Task], list[int]]:
    """A function that gives the lines of a task from likely to less likely: what a window is chosen by."""
    rank = ranking(model)

    def lines(task: Task) -> list[int]:
        program = lex(task.new_line, task.lines)
        further, _ = long_list(program, measure(program), model.chooser.weights, FURTHER)
        return list(dict.fromkeys([*rank(task).lines.tolist(), *further.tolist()]))

    return lines
