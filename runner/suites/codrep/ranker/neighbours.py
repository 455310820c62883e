"""The lines before and after a line that are not blank, and the words at the edges of lines."""

import numpy as np

from runner.suites.codrep.ranker.program import Ints, Program


def neighbours(program: Program, at: Ints, steps: int = 1) -> tuple[Ints, Ints]:
    """For lines that are not blank, the one `steps` before and the one after, blank ones left out; 0 for none."""
    filled = np.flatnonzero(program.sizes[1:] > 0) + 1
    padded = np.concatenate([np.zeros(steps, np.int64), filled, np.zeros(steps, np.int64)])
    place = np.searchsorted(filled, at)
    return padded[place], padded[place + 2 * steps]


def first_words(program: Program, lines: Ints) -> Ints:
    """The first word of each line; 0 for the line 0 and for blank ones."""
    padded = np.append(program.tokens, 0)
    words = padded[program.start[lines]]
    return np.where((lines > 0) & (program.sizes[lines] > 0), words, 0)


def last_words(program: Program, lines: Ints) -> Ints:
    """The last word of each line; 0 for blank ones."""
    padded = np.append(program.tokens, 0)
    return np.where(program.sizes[lines] > 0, padded[program.start[lines + 1] - 1], 0)
