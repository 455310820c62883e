"""The lines that may have been replaced: the best by cheap similarities, then the best with what the lexicon says."""

from dataclasses import dataclass

import numpy as np

from runner.suites.codrep.dataset import CodrepTask
from runner.suites.codrep.ranker.bag import Bag, fill
from runner.suites.codrep.ranker.lexicon import Lexicon, find_traits
from runner.suites.codrep.ranker.measures import LineMeasures, measure
from runner.suites.codrep.ranker.program import LONGEST, Bools, Floats, Ints, Program, lex
from runner.suites.codrep.ranker.statements import Statements, read_statements

# How many lines the similarities choose, and how many of these remain.
LONG_LIST = 40
SHORT_LIST = 20

# The measures that choose, in the order of their learned weights; differences of brackets count by size.
CHOOSING = (
    *("indel", "jaro_winkler", "prefix", "suffix", "cover", "trigram", "length_ratio", "word_dice", "rare_dice"),
    *("rare_cover", "word_indel", "shape", "subword_cover", "near_3", "near_10", "same_first", "same_last"),
    *("parens", "braces", "squares"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Chooser:
    """What the choice of candidates learned: a weight for each of CHOOSING, and the lexicon of edits."""

    weights: Floats
    lexicon: Lexicon


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The chosen lines `at` of a program, best first, with all that features are made of.

    - `similarity`, `habits`: what chose the long list, and the lexicon's sums; a row for each candidate.
    """

    program: Program
    measures: LineMeasures
    statements: Statements
    at: Ints
    bag: Bag
    similarity: Floats
    habits: Floats


def choose(task: CodrepTask, chooser: Chooser, most: int = SHORT_LIST) -> Candidates:
    """At most `most` candidates for a task; none where every line is blank or equals the new line."""
    program = lex(task.new_line, task.lines)
    measures = measure(program)
    statements = read_statements(program)
    at, similarity = long_list(program, measures, chooser.weights, LONG_LIST)
    bag = fill(program, at)
    habits = chooser.lexicon.sums(find_traits(program, at, bag, statements.kinds), len(at))
    best = np.argsort(-(similarity + habits.sum(axis=1)), kind="stable")[:most]
    return Candidates(program, measures, statements, at[best], bag.rows(best), similarity[best], habits[best])


def choosing_measures(measures: LineMeasures, at: Ints) -> Floats:
    """The measures that choose, of some lines: lines x len(CHOOSING)."""
    return np.abs(np.stack([measures.by_name[name][at] for name in CHOOSING], axis=1))


def eligible(program: Program, measures: LineMeasures) -> Bools:
    """Which lines may be candidates: the old line is never blank, nor the new one but for its spaces."""
    new = measures.spelled[0]
    differs = np.array([line != new for line in measures.spelled])
    if max(map(len, program.raw)) > LONGEST:
        # What follows was not compared, and may be where the edit is.
        whole = _without_space(program.raw[0])
        differs |= np.array([_without_space(line) != whole for line in program.raw])
    mask: Bools = differs & (program.sizes > 0)
    return mask


def _without_space(line: str) -> str:
    return "".join(line.split())


def long_list(program: Program, measures: LineMeasures, weights: Floats, most: int) -> tuple[Ints, Floats]:
    """The lines that are most similar to the new line by the weighted measures, best first, and how much."""
    at = np.flatnonzero(eligible(program, measures))
    scores = choosing_measures(measures, at) @ weights
    best = np.argsort(-scores, kind="stable")[:most]
    return at[best], scores[best]
