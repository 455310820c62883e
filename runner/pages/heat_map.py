"""Cases x models: how many valid attempts are right at each case, the hardest cases first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from runner.pages.naming import Headline, NamedVariant
from runner.report.class_counts import ClassCounts
from runner.report.classes import APPLIED, RIGHT

# More cases are drawn as small squares, and of more than the second number the hardest only.
LARGE, MOST = 60, 400
_VALID = ("right", "wrong", "failed", "applied ?", "untested")


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A variant at a case: `k/n`, and its shade from 0 (none right) to 3 (all right); "" where nothing is known."""

    text: str
    shade: str


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A case with a cell for each variant."""

    case_id: str
    share: str
    cells: tuple[HeatCell, ...]


@dataclass(frozen=True, slots=True)
class HeatMap:
    """The map; `small` is whether squares stand in place of a table."""

    columns: tuple[str, ...]
    rows: tuple[HeatRow, ...]
    small: bool
    sentence: str
    solved_by_all: int
    solved_by_none: int


def heat_map(named: Sequence[NamedVariant], counts: ClassCounts, figure: Headline, most: int = MOST) -> HeatMap:
    """Return the map of the first variants of each model and prompt, with at most so many cases."""
    columns = [variant for variant in named if variant.first]
    cases = sorted({case_id for variant in columns for case_id in counts.by_case.get(variant.key, {})})
    undecided = counts.undecided() if figure.name == "right" else frozenset[str]()
    classes = RIGHT if figure.name == "right" else APPLIED
    scored = {
        case_id: [_score(counts.by_case.get(variant.key, {}).get(case_id, {}), classes) for variant in columns]
        for case_id in cases
        if case_id not in undecided
    }
    shares = {case_id: _share(scores) for case_id, scores in scored.items()}
    order = sorted(scored, key=lambda case_id: (shares[case_id], case_id))
    rows = tuple(
        HeatRow(case_id, f"{100 * shares[case_id]:.0f}", tuple(map(_cell, scored[case_id]))) for case_id in order[:most]
    )
    left_out = f" The {most} hardest of {len(order)} cases are shown." if len(order) > most else ""
    unknown = f" Cases for which nothing decides what is right, {len(undecided)}, are left out." if undecided else ""
    return HeatMap(
        columns=tuple(variant.label for variant in columns),
        rows=rows,
        small=len(rows) > LARGE,
        sentence=f"Valid attempts that are {figure.name} of all valid ones, k/n; hardest first.{left_out}{unknown}",
        solved_by_all=sum(share == 1 for share in shares.values()),
        solved_by_none=sum(share == 0 for share in shares.values()),
    )


def _score(classes: Mapping[str, int], good: frozenset[str]) -> tuple[int, int]:
    """Return how many valid attempts are good, and how many are valid."""
    return sum(classes.get(name, 0) for name in good), sum(classes.get(name, 0) for name in _VALID)


def _share(scores: Sequence[tuple[int, int]]) -> float:
    """Return the mean over variants that have a valid attempt; 0 where none has."""
    known = [good / valid for good, valid in scores if valid]
    return fsum(known) / len(known) if known else 0.0


def _cell(score: tuple[int, int]) -> HeatCell:
    good, valid = score
    if not valid:
        return HeatCell("-", "")
    share = good / valid
    return HeatCell(f"{good}/{valid}", "3" if share == 1 else "2" if share >= 0.5 else "1" if share else "0")
