"""Counts n-grams, and the three tallies that every SARI-like score is made of: kept, added, deleted."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, starmap
from operator import add
from typing import Literal

from runner.metrics.alignment import TooLargeError

Operation = Literal["keep", "add", "delete"]
Empty = Literal["skip", "zero", "one", "match"]
Deletion = Literal["precision", "f1"]

ORDERS = 4
# N-grams of one document: a few seconds of counting, and half a gigabyte for three documents.
LARGEST_COUNT = 10_000_000


@dataclass(frozen=True, slots=True)
class NgramCell:
    """One operation at one n-gram order: what the hypothesis did, what the reference requests, what matches."""

    good: int
    done: int
    requested: int


# One cell for each order, from single tokens up.
Cells = dict[Operation, tuple[NgramCell, ...]]


@dataclass(frozen=True, slots=True)
class Components:
    """Scores between 0 and 1; None = neither side did anything of the kind, so there is nothing to score."""

    score: float
    keep: float | None
    add: float | None
    delete: float | None


def count(pieces: Iterable[str], orders: int = ORDERS) -> Iterator[Counter[str]]:
    """Yield the n-grams of interned texts, one counter for each order; no n-gram crosses two pieces.

    The orders are counted as they are taken, so that those of large texts need not be held together. Raises
    TooLargeError, before it counts, for texts that have more n-grams than can be counted in seconds.
    """
    texts = list(pieces)
    total = orders * sum(map(len, texts))
    if total > LARGEST_COUNT:
        raise TooLargeError(f"{total} n-grams: more than {LARGEST_COUNT} are not counted")
    return _orders(texts, orders)


def _orders(texts: Sequence[str], orders: int) -> Iterator[Counter[str]]:
    layers = [list(text) for text in texts]
    for order in range(1, orders + 1):
        yield Counter(chain.from_iterable(layers))
        layers = [list(map(add, layer, text[order:])) for layer, text in zip(layers, texts, strict=True)]


def together(*counters: Iterable[Counter[str]]) -> Iterator[tuple[Counter[str], ...]]:
    """Yield the counters of each order, as `zip` does, which however would hold them while it takes the next ones."""
    iterators = [iter(those) for those in counters]
    try:
        while True:
            yield tuple([next(those) for those in iterators])
    except StopIteration:
        return


def overlap(*counters: Counter[str]) -> int:
    """Return how many n-grams some counters have in common, each as often as in the counter that has the fewest."""
    first, *others = counters
    common = set(first).intersection(*others)
    return sum(min(counter[gram] for counter in counters) for gram in common)


def tally(
    origin: Iterable[Counter[str]], reference: Iterable[Counter[str]], hypothesis: Iterable[Counter[str]]
) -> Cells:
    """Return the cells of one document: additions as sets of n-grams, the others as multisets (Xu et al. 2016)."""
    keep, added, delete = zip(*starmap(_tally, together(origin, reference, hypothesis)), strict=True)
    return {"keep": keep, "add": added, "delete": delete}


def _tally(
    origin: Counter[str], reference: Counter[str], hypothesis: Counter[str]
) -> tuple[NgramCell, NgramCell, NgramCell]:
    """Return the cells of keeping, adding and deleting.

    A deletion is what is not kept, so three sums over kept n-grams give both:

    sum(o - b) = sum(o) - sum(min(o, b)), and as min(x, y) + max(x, y) = x + y,
    sum(min(o - b, o - a)) = sum(o) - sum(min(o, b)) - sum(min(o, a)) + sum(min(o, a, b)).
    """
    in_hypothesis = origin.keys() & hypothesis.keys()
    in_reference = origin.keys() & reference.keys()
    kept = sum(min(origin[g], hypothesis[g]) for g in in_hypothesis)
    to_keep = sum(min(origin[g], reference[g]) for g in in_reference)
    matched = sum(min(origin[g], hypothesis[g], reference[g]) for g in in_hypothesis & in_reference)
    total = origin.total()
    # Set arithmetic: an n-gram that is in all three is in every intersection once.
    common = len((hypothesis.keys() & reference.keys()) - origin.keys())
    return (
        NgramCell(matched, kept, to_keep),
        NgramCell(common, len(hypothesis) - len(in_hypothesis), len(reference) - len(in_reference)),
        NgramCell(total - kept - to_keep + matched, total - kept, total - to_keep),
    )


def combine(cells: Cells, empty: Empty = "skip", deletion: Deletion = "precision") -> Components:
    """Return the mean of the three operations, each the mean of its orders: F1, for deletions only the precision.

    `empty` says what a ratio with nothing to count is worth. `skip`: a cell in which neither side did anything
    is left out, an operation without cells too, and with nothing at all the score is 1. `zero`: 0, as in the
    script of Xu et al. `one`: 1, as in Hugging Face evaluate. `match`: 1 where neither side did anything, else 0.
    """
    keep = _mean([_f1(cell, empty) for cell in cells["keep"]])
    added = _mean([_f1(cell, empty) for cell in cells["add"]])
    judge = _f1 if deletion == "f1" else _precision
    delete = _mean([judge(cell, empty) for cell in cells["delete"]])
    score = _mean([keep, added, delete])
    return Components(1.0 if score is None else score, keep, added, delete)


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _precision(cell: NgramCell, empty: Empty) -> float | None:
    if cell.done:
        return cell.good / cell.done
    return _nothing(empty, other=cell.requested)


def _recall(cell: NgramCell, empty: Empty) -> float | None:
    if cell.requested:
        return cell.good / cell.requested
    return _nothing(empty, other=cell.done)


def _nothing(empty: Empty, other: int) -> float | None:
    if other == 0 and empty == "skip":
        return None
    return float(empty == "one" or (other == 0 and empty == "match"))


def _f1(cell: NgramCell, empty: Empty) -> float | None:
    precision, recall = _precision(cell, empty), _recall(cell, empty)
    if precision is None or recall is None:
        return None
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
