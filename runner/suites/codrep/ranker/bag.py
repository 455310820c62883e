"""The words and sub-words of the new line and of some candidates as tables: what an edit would insert and remove."""

from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from runner.suites.codrep.ranker.lexer import subwords
from runner.suites.codrep.ranker.program import Bools, Ints, Program, count_pairs, has_letters, tokens_of


@dataclass(frozen=True, slots=True, eq=False)
class Bag:
    """Counts of words (columns of program word numbers `words`) and presence of sub-words (columns `parts`).

    `new` and `new_parts` are the new line's; `old` and `old_parts` have a row for each candidate.
    """

    words: Ints
    new: Ints
    old: Ints
    parts: tuple[str, ...]
    new_parts: Bools
    old_parts: Bools

    @property
    def inserted(self) -> Ints:
        """How often the edit adds each word."""
        more: Ints = np.maximum(self.new - self.old, 0)
        return more

    @property
    def removed(self) -> Ints:
        """How often the edit takes each word away."""
        less: Ints = np.maximum(self.old - self.new, 0)
        return less

    @property
    def kept(self) -> Ints:
        """How often the edit keeps each word."""
        return np.minimum(self.old, self.new)

    def rows(self, chosen: Ints) -> "Bag":
        """The same of some of the candidates."""
        return Bag(self.words, self.new, self.old[chosen], self.parts, self.new_parts, self.old_parts[chosen])


def fill(program: Program, at: Ints) -> Bag:
    """The bag of the candidate lines `at`."""
    lines = np.append(0, at)
    rows, places = tokens_of(program, lines)
    words, columns = np.unique(program.tokens[places], return_inverse=True)
    counts = count_pairs(rows, columns, len(lines), len(words))
    parts: dict[str, int] = {}
    pairs = [
        (column, parts.setdefault(part, len(parts)))
        for column in np.flatnonzero(has_letters(program.kinds[words])).tolist()
        for part in subwords(program.words[words[column]])
    ]
    has_part = np.zeros((len(lines), len(parts)), np.bool_)
    if pairs:
        pairs.sort(key=itemgetter(1))
        of_word, of_part = np.array(pairs).T
        # Every part has a word, so each begins a segment: a product of matrices would start threads for so little.
        begins = np.searchsorted(of_part, np.arange(len(parts)))
        has_part = np.maximum.reduceat(counts[:, of_word], begins, axis=1) > 0
    return Bag(words, counts[0], counts[1:], tuple(parts), has_part[0], has_part[1:])
