"""Says which tokens of an origin, a reference and a hypothesis are conserved in all three.

A document is a `str` whose characters stand for tokens (see `intern`): comparing, slicing and aligning such a
string is the work of C, and the code point is the interned integer.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

Mode = Literal["nested", "anchor"]

# Bits of one alignment matrix: 128 MiB. Two texts of 32,000 tokens with nothing in common just fit.
LARGEST_MATRIX = 2**30
# Code points from 1 up to the last; 0 stays free.
LARGEST_VOCABULARY = 0x10FFFF


class TooLargeError(ValueError):
    """The documents differ in more tokens than an alignment can hold; nothing was computed."""


@dataclass(frozen=True, slots=True)
class Conserved:
    """The conserved columns, in order: the position of each in the origin, the reference and the hypothesis."""

    origin: list[int]
    reference: list[int]
    hypothesis: list[int]

    def __len__(self) -> int:
        return len(self.origin)


@dataclass(frozen=True, slots=True)
class GapSlices:
    """A maximal run of columns that are not conserved: the slice it takes out of each document."""

    origin: slice
    reference: slice
    hypothesis: slice


def intern(*documents: Sequence[str]) -> tuple[str, ...]:
    """Return each document as a string with one character for each token, equal tokens having equal characters.

    Raises TooLargeError when there are more different tokens than characters.
    """
    vocabulary = dict.fromkeys(chain.from_iterable(documents))
    if len(vocabulary) > LARGEST_VOCABULARY:
        raise TooLargeError(f"{len(vocabulary)} different tokens: the maximum is {LARGEST_VOCABULARY}")
    characters = dict(zip(vocabulary, map(chr, range(1, len(vocabulary) + 1)), strict=True))
    return tuple("".join(map(characters.__getitem__, document)) for document in documents)


def conserve(origin: str, reference: str, hypothesis: str, *, mode: Mode = "nested") -> Conserved:
    """Return the columns in which the three interned documents agree.

    What all three begin or end with is conserved whatever lies between. In the middle, `nested` aligns the
    tokens that (origin, reference) have in common with those that (origin, hypothesis) have in common, as the
    Excision Score paper (arXiv 2510.21537) does; `anchor` keeps the origin's positions that are in both, which is
    symmetric and never longer. Two longest common subsequences with their positions instead of the cubic one.

    Raises TooLargeError where the middles are too long to align.
    """
    head, tail = shared_ends(origin, reference, hypothesis)
    ends = [len(document) - tail for document in (origin, reference, hypothesis)]
    columns = _MODES[mode](*(d[head:end] for d, end in zip((origin, reference, hypothesis), ends, strict=True)))
    return Conserved(
        *(
            [*range(head), *(head + at for at in middle), *range(end, end + tail)]
            for middle, end in zip(columns, ends, strict=True)
        )
    )


def shared_ends(origin: str, reference: str, hypothesis: str) -> tuple[int, int]:
    """Return how many characters all three begin with, and how many of the rest all three end with."""
    from rapidfuzz.distance import Postfix, Prefix

    head = min(Prefix.similarity(origin, reference), Prefix.similarity(origin, hypothesis))
    rest = origin[head:]
    return head, min(Postfix.similarity(rest, reference[head:]), Postfix.similarity(rest, hypothesis[head:]))


def regions(conserved: Conserved, lengths: tuple[int, int, int]) -> Iterator[GapSlices]:
    """Yield what lies between the conserved columns of documents of these lengths, in order."""
    before = (-1, -1, -1)
    columns = zip(conserved.origin, conserved.reference, conserved.hypothesis, strict=True)
    for at in chain(columns, [lengths]):
        if at[0] - before[0] > 1 or at[1] - before[1] > 1 or at[2] - before[2] > 1:
            yield GapSlices(*(slice(last + 1, here) for last, here in zip(before, at, strict=True)))
        before = at


def align(first: str, second: str) -> tuple[list[int], list[int]]:
    """Return the positions, in either string, of one longest common subsequence.

    Bit-parallel (Hyyrö 2004, in RapidFuzz). Ties are settled from the end, after the common prefix and suffix: an
    element of `first` is dropped where that loses nothing, else one of `second`.
    """
    from rapidfuzz.distance import LCSseq

    if len(first) * len(second) > LARGEST_MATRIX:
        raise TooLargeError(
            f"{len(first)} and {len(second)} tokens between the common beginning and end: "
            f"more than {LARGEST_MATRIX} pairs are not aligned"
        )
    blocks = LCSseq.editops(first, second).as_matching_blocks()
    return _positions((b.a, b.size) for b in blocks), _positions((b.b, b.size) for b in blocks)


def _positions(runs: Iterable[tuple[int, int]]) -> list[int]:
    return list(chain.from_iterable(range(start, start + size) for start, size in runs))


def _nested(origin: str, reference: str, hypothesis: str) -> tuple[Sequence[int], ...]:
    of_reference, reference_kept = align(origin, reference)
    of_hypothesis, hypothesis_kept = align(origin, hypothesis)
    first, second = align(_text(origin, of_reference), _text(origin, of_hypothesis))
    return (
        [of_reference[at] for at in first],
        [reference_kept[at] for at in first],
        [hypothesis_kept[at] for at in second],
    )


def _text(document: str, positions: Iterable[int]) -> str:
    return "".join(map(document.__getitem__, positions))


def _anchor(origin: str, reference: str, hypothesis: str) -> tuple[Sequence[int], ...]:
    in_reference = dict(zip(*align(origin, reference), strict=True))
    in_hypothesis = dict(zip(*align(origin, hypothesis), strict=True))
    both = [at for at in in_reference if at in in_hypothesis]
    return both, [in_reference[at] for at in both], [in_hypothesis[at] for at in both]


_MODES: dict[Mode, Callable[[str, str, str], tuple[Sequence[int], ...]]] = {"nested": _nested, "anchor": _anchor}
