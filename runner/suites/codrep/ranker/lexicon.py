"""A learned lexicon of edits: which words, shapes and statements tend to give way to which others.

Each candidate has a set of traits: words that the edit removes, words that it inserts, pairs of these, sub-words,
the whole line, its shape, the kinds of statement around it. A conditional logit learned a weight for each trait that
is frequent in the training data; the sums of weights, one a group of traits, are features. A trait is known by a hash
of 32 bits, so the lexicon is two arrays, and none of the training data's words is kept.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt

from runner.suites.codrep.ranker.bag import Bag
from runner.suites.codrep.ranker.lexer import WordKind
from runner.suites.codrep.ranker.measures import SHAPES
from runner.suites.codrep.ranker.neighbours import last_words, neighbours
from runner.suites.codrep.ranker.program import Bools, Floats, Ints, Program, tokens_of

Hashes = npt.NDArray[np.uint64]

# A pair is counted only where an edit has few: many words on both sides are another statement, not a substitution.
MOST_WORD_PAIRS = 64
MOST_PART_PAIRS = 25

ODD = np.uint64(0x9E3779B97F4A7C15)

GROUPS = ("words", "word_pairs", "texts", "shapes", "statements", "words_by_statement", "neighbours", "parts")


class Traits(NamedTuple):
    """Traits of candidates: for each its candidate (row), its group (of GROUPS), and its hash."""

    rows: Ints
    groups: Ints
    hashes: npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """The hashes of the traits that are known, ascending, and their weights."""

    hashes: npt.NDArray[np.uint32]
    weights: Floats

    def sums(self, traits: Traits, candidates: int) -> Floats:
        """The summed weights of each candidate's traits by group: candidates x len(GROUPS)."""
        if not len(self.hashes):
            return np.zeros((candidates, len(GROUPS)))
        at = np.minimum(np.searchsorted(self.hashes, traits.hashes), len(self.hashes) - 1)
        weights = np.where(self.hashes[at] == traits.hashes, self.weights[at], 0)
        flat = traits.rows * len(GROUPS) + traits.groups
        sums = np.bincount(flat, weights, minlength=candidates * len(GROUPS)).astype(np.float64)
        return sums.reshape(candidates, len(GROUPS))


def find_traits(program: Program, at: Ints, bag: Bag, statements: Ints) -> Traits:
    """The traits of the candidate lines `at`; `statements` are the kinds of all lines."""
    hashes = _word_hashes(program)
    known_traits = [
        *_word_traits(bag, hashes[bag.words], statements[at]),
        *_part_traits(bag),
        *_line_traits(program, at, hashes, statements),
    ]
    rows = [rows for rows, _, _ in known_traits]
    groups = [np.full(len(rows), GROUPS.index(group)) for rows, group, _ in known_traits]
    traits = [traits for _, _, traits in known_traits]
    return Traits(np.concatenate(rows), np.concatenate(groups), np.concatenate(traits).astype(np.uint32))


_Found = tuple[Ints, str, Hashes]


def _word_traits(bag: Bag, hashes: Hashes, statements: Ints) -> Iterator[_Found]:
    """Removed and inserted words, alone, by statement, and in pairs."""
    inserted, removed = bag.inserted > 0, bag.removed > 0
    for sort, (table, other) in enumerate(((inserted, removed), (removed, inserted))):
        rows, columns = np.nonzero(table)
        words = hashes[columns]
        yield rows, "words", _hash(sort, words)
        yield rows, "words_by_statement", _hash(2 + sort, words, statements[rows])
        other_side: Bools = np.logical_or.reduce(other, axis=1)
        alone = ~other_side[rows]
        yield rows[alone], "words", _hash(4 + sort, words[alone])
    paired, new, old = _pairs(inserted, removed, MOST_WORD_PAIRS)
    yield paired, "word_pairs", _hash(6, hashes[new], hashes[old])


def _part_traits(bag: Bag) -> Iterator[_Found]:
    """Removed and inserted sub-words, alone and in pairs."""
    hashes = np.array([crc32(part.encode("utf-8", "replace")) for part in bag.parts], np.uint64)
    inserted, removed = bag.new_parts & ~bag.old_parts, bag.old_parts & ~bag.new_parts
    for sort, table in enumerate((inserted, removed)):
        rows, columns = np.nonzero(table)
        yield rows, "parts", _hash(7 + sort, hashes[columns])
    paired, new, old = _pairs(inserted, removed, MOST_PART_PAIRS)
    yield paired, "parts", _hash(9, hashes[new], hashes[old])


def _pairs(inserted: Bools, removed: Bools, most: int) -> tuple[Ints, Ints, Ints]:
    """Every (candidate, inserted column, removed column) of the candidates that have at most so many."""
    few = inserted.sum(axis=1) * removed.sum(axis=1) <= most
    new, old = np.flatnonzero(inserted.any(axis=0)), np.flatnonzero(removed.any(axis=0))
    cube = (inserted[:, new] & few[:, None])[:, :, None] & removed[:, None, old]
    rows, first, second = np.nonzero(cube)
    return rows, new[first], old[second]


def _line_traits(program: Program, at: Ints, hashes: Hashes, statements: Ints) -> Iterator[_Found]:
    """The old line's text, shape and kind, alone and with the new line's, and the kinds of its neighbours."""
    rows = np.arange(len(at))
    lines = np.append(0, at)
    kinds = _kind_hashes(program, hashes)
    ends = _hash(10, statements[lines], hashes[last_words(program, lines)])
    for sort, (group, words) in enumerate(
        (
            ("texts", _sequence_hashes(program, lines, hashes)),
            ("shapes", _sequence_hashes(program, lines, kinds)),
            ("statements", statements[lines]),
        )
    ):
        yield rows, group, _hash(11 + sort, words[1:])
        yield rows, group, _hash(14 + sort, words[1:], words[:1])
    for sort, beside in enumerate(neighbours(program, at)):
        around = _hash(17 + sort, np.where(beside > 0, statements[beside], 0), hashes[last_words(program, beside)])
        yield rows, "neighbours", _hash(19, around, ends[:1])
        yield rows, "neighbours", _hash(20, around, ends[:1], ends[1:])


def _word_hashes(program: Program) -> Hashes:
    """A hash of every word of the program, one for all strings."""
    hashes = np.array([crc32(word.encode("utf-8", "replace")) for word in program.words], np.uint64)
    hashes[program.kinds == WordKind.STRING] = WordKind.STRING
    return hashes


def _kind_hashes(program: Program, hashes: Hashes) -> Hashes:
    """The same with one hash for all names, one for all types, one for all numbers."""
    shapes = hashes.copy()
    for kind, shape in SHAPES.items():
        shapes[program.kinds == kind] = shape
    return shapes


def _sequence_hashes(program: Program, lines: Ints, hashes: Hashes) -> Hashes:
    """A hash of each line's sequence of words."""
    rows, places = tokens_of(program, lines)
    sums = np.zeros(len(lines), np.uint64)
    np.add.at(sums, rows, _hash(21, places - program.start[lines][rows], hashes[program.tokens[places]]))
    return sums


def _hash(sort: int, *columns: Ints) -> Hashes:
    """32 bits that depend on the sort of trait and on each column in its place; arithmetic wraps around."""
    mixed = np.full(1, sort + 1, np.uint64) * ODD
    for column in columns:
        mixed = (mixed ^ column.astype(np.uint64)) * ODD
        mixed ^= mixed >> np.uint64(29)
    return (mixed * ODD) >> np.uint64(32)
