"""How well an order agrees with people: pairs of edits labelled as related or not.

A file of labels has one JSON object per line (`.xz` is unpacked): `id`, `message`, `files` with `path`, `before` and
`after`, `edits` with the line ranges the labels speak of, and `pairs`, whose keys `"0-3"` name the related edits; a
pair that is not named is unrelated.
"""

import json
import lzma
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from runner.errors import InputError
from runner.suites.next_edit.bundles import Bundle, commits_of
from runner.suites.next_edit.commits import Commit, Limits, Origin, Touched
from runner.suites.next_edit.order.graph import Pair

_ANY_SIZE = Limits(min_edits=0, max_edits=1_000_000)


@dataclass(frozen=True, slots=True)
class Labelled:
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


def agreement(size: int, found: Collection[Pair], related: Collection[Pair]) -> Agreement:
    """Compare the related pairs of a commit with `size` edits, lower number first."""
    counts = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
    for pair in combinations(range(size), 2):
        counts[pair in found, pair in related] += 1
    return Agreement(counts[True, True], counts[True, False], counts[False, True], counts[False, False])


def total(parts: Iterable[Agreement]) -> Agreement:
    """The counts of several commits together."""
    return sum(parts, Agreement())


def read_labels(path: Path) -> Iterator[Labelled]:
    """The labelled commits of a file. Raises InputError naming line, field and mend."""
    rows = list(_read_rows(path))
    bundles = [_bundle(path, number, row) for number, row in rows]
    for (number, row), commit in zip(rows, commits_of(bundles, _ANY_SIZE), strict=True):
        assert isinstance(commit, Commit)
        if _ranges(commit) != [_labelled_range(edit) for edit in row["edits"]]:
            raise InputError(f"{path}: line {number}: field edits does not list the edits that git's diff gives")
        yield Labelled(str(row["id"]), commit, _related(path, number, row["pairs"], len(commit.edits)))


def _read_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        data = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
        for number, line in enumerate(data.split(b"\n"), 1):
            if line.strip():
                yield number, json.loads(line)
    except (OSError, lzma.LZMAError, ValueError) as error:
        raise InputError(f"{path}: no readable labels ({error})") from error


def _bundle(path: Path, number: int, row: dict[str, Any]) -> Bundle:
    try:
        files = tuple(Touched(each["path"], each["before"], each["after"]) for each in row["files"])
        for field in ("id", "edits", "pairs"):
            row[field]
    except (KeyError, TypeError) as error:
        raise InputError(f"{path}: line {number}: field {error} is missing") from error
    return Bundle(Origin(str(row["id"]), ""), str(row.get("message", "")), files)


def _ranges(commit: Commit) -> list[tuple[str, int, int]]:
    return [(edit.path, edit.parent.start, edit.parent.end) for edit in commit.edits]


def _labelled_range(edit: dict[str, Any]) -> tuple[str, int, int]:
    span = edit["parent_version_range"]
    return edit["file_path"], span["start"], span["end"]


def _related(path: Path, number: int, keys: Iterable[str], size: int) -> frozenset[Pair]:
    found = set()
    for key in keys:
        one, _, two = key.partition("-")
        if not (one.isdigit() and two.isdigit() and max(int(one), int(two)) < size and one != two):
            raise InputError(f"{path}: line {number}: field pairs has {key!r}, which names no two edits")
        found.add((min(int(one), int(two)), max(int(one), int(two))))
    return frozenset(found)


def cross_validate(
    labelled: Sequence[Labelled], found: Sequence[dict[float, frozenset[Pair]]], folds: int
) -> Agreement:
    """Agreement where each fold's least strength of an edge is the one that serves the other folds best.

    `found` has, per commit, the pairs for each least strength that may be chosen. Folds go by commit.
    """
    counts = [
        {least: agreement(len(each.commit.edits), pairs, each.related) for least, pairs in by_strength.items()}
        for each, by_strength in zip(labelled, found, strict=True)
    ]
    judged = []
    for fold in range(folds):
        others = [each for number, each in enumerate(counts) if number % folds != fold]
        best = max(counts[0], key=lambda least: (total(each[least] for each in others).f1, least))
        judged += [each[best] for number, each in enumerate(counts) if number % folds == fold]
    return total(judged)
