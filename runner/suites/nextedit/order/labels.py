"""How well an order agrees with people: pairs of edits labelled as related or not."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.order.graph import Pair


@dataclass(frozen=True, slots=True)
class LabelledCommit:
    """A commit and which of its edits people call related, lower number first."""

    name: str
    commit: Commit
    related: frozenset[Pair]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Counts of pairs: rightly related, wrongly related, missed, rightly unrelated."""

    hits: int = 0
    false: int = 0
    missed: int = 0
    rejected: int = 0

    def __add__(self, other: "Agreement") -> "Agreement":
        return Agreement(
            self.hits + other.hits,
            self.false + other.false,
            self.missed + other.missed,
            self.rejected + other.rejected,
        )

    @property
    def pairs(self) -> int:
        """How many pairs were judged."""
        return self.hits + self.false + self.missed + self.rejected

    @property
    def precision(self) -> float:
        """The share of what was called related that is; 0 if nothing was."""
        return self.hits / (self.hits + self.false) if self.hits + self.false else 0.0

    @property
    def recall(self) -> float:
        """The share of what is related that was called so; 0 if nothing is."""
        return self.hits / (self.hits + self.missed) if self.hits + self.missed else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.hits / (2 * self.hits + self.false + self.missed) if self.hits else 0.0

    @property
    def accuracy(self) -> float:
        """The share of pairs that were judged as people judge them."""
        return (self.hits + self.rejected) / self.pairs if self.pairs else 0.0

    def as_json(self) -> dict[str, float]:
        """The figures by name."""
        return {
            "pairs": self.pairs,
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "accuracy": self.accuracy,
        }


def agreement(size: int, pairs: Collection[Pair], related: Collection[Pair]) -> Agreement:
    """Compare the related pairs of a commit with `size` edits, lower number first."""
    counts = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
    for pair in combinations(range(size), 2):
        counts[pair in pairs, pair in related] += 1
    return Agreement(counts[True, True], counts[True, False], counts[False, True], counts[False, False])


def total(parts: Iterable[Agreement]) -> Agreement:
    """The counts of several commits together."""
    return sum(parts, Agreement())


def cross_validate(
    labelled: Sequence[LabelledCommit], pairs: Sequence[dict[float, frozenset[Pair]]], folds: int
) -> Agreement:
    """Agreement where each fold's least strength of an edge is the one that serves the other folds best.

    `pairs` has, per commit, the pairs for each least strength that may be chosen. Folds go by commit.
    """
    counts = [
        {least: agreement(len(commit.commit.edits), pairs, commit.related) for least, pairs in by_strength.items()}
        for commit, by_strength in zip(labelled, pairs, strict=True)
    ]
    judged = []
    for fold in range(folds):
        others = [count for number, count in enumerate(counts) if number % folds != fold]
        best = max(counts[0], key=lambda least: (total(other[least] for other in others).f1, least))
        judged += [count[best] for number, count in enumerate(counts) if number % folds == fold]
    return total(judged)
