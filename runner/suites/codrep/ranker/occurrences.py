"""Where each word of a program occurs: counts between lines and nearest lines, for many words at once."""

from dataclasses import dataclass

import numpy as np

from runner.suites.codrep.ranker.program import Ints, Program

# The distance, in lines, to a word that does not occur.
FAR = 2000


@dataclass(frozen=True, slots=True, eq=False)
class Occurrences:
    """An index of (word, line) pairs, sorted; the new line is left out. `lines` is one more than the last line."""

    keys: Ints
    lines: int

    def count(self, words: Ints, first: Ints, last: Ints) -> Ints:
        """How often each word occurs from its `first` to its `last` line."""
        base = words.astype(np.int64) * self.lines
        begins = np.searchsorted(self.keys, base + first, "left")
        ends = np.searchsorted(self.keys, base + last, "right")
        counts: Ints = np.maximum(ends - begins, 0)
        return counts

    def nearest(self, words: Ints, lines: Ints) -> tuple[Ints, Ints]:
        """How many lines before and after its line each word occurs next, `FAR` where it does not."""
        keys = words.astype(np.int64) * self.lines + lines
        before = np.searchsorted(self.keys, keys, "left") - 1
        after = np.searchsorted(self.keys, keys, "right")
        # A guard at the end, of a word that no program has, stands for the keys before the first and past the last.
        guarded = np.append(self.keys, -2 * self.lines)
        earlier, later = guarded[before], guarded[after]
        same_before = earlier // self.lines == words
        same_after = later // self.lines == words
        return np.where(same_before, keys - earlier, FAR), np.where(same_after, later - keys, FAR)


def index_words(program: Program) -> Occurrences:
    """The index of a program."""
    lines = len(program.raw)
    first = program.start[1]
    return Occurrences(np.sort(program.tokens[first:].astype(np.int64) * lines + program.line_of[first:]), lines)
