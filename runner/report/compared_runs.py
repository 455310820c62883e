"""What `evals compare` shows: the variants of one run, or of several runs of a suite, by each dimension."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from runner.document import Document
from runner.errors import InputError
from runner.report.case_figures import CaseFigures, headline, samples_of
from runner.report.comparison_tables import comparison_data, comparison_notes, comparison_tables
from runner.report.pairs import DIMENSIONS, VARIANT, Family, every_pair, families
from runner.report.tables import SIMULATED
from runner.storage.runs import refuse_incomparable
from runner.storage.store import Row, Store


@dataclass(frozen=True, slots=True)
class ComparedRuns:
    """The comparisons between the variants of some runs, and the cases that some of them lack or have otherwise."""

    runs: tuple[str, ...]
    metrics: tuple[str, ...]
    families: tuple[Family, ...]
    simulated: bool
    notes: tuple[str, ...] = ()

    def checked(self, effect: float) -> float:
        """Return a difference that cases are counted for. Raises InputError where there is none."""
        if not math.isfinite(effect) or effect <= 0:
            raise InputError(f"--effect {effect:g}: is no difference; give a number above 0, such as 10")
        return effect

    def document(self, effect: float) -> Document:
        """For people."""
        notes = (*comparison_notes(self.families, effect), *self.notes, *((SIMULATED,) if self.simulated else ()))
        return Document(
            f"{', '.join(self.runs)}: compared by {', '.join(self.metrics)}", comparison_tables(self.families), notes
        )

    def data(self, effect: float) -> dict[str, Any]:
        """As JSON values."""
        return {
            "runs": self.runs,
            "metrics": self.metrics,
            "simulated": self.simulated,
            "comparisons": comparison_data(self.families, effect),
            "notes": self.notes,
        }


def compared_runs(store: Store, runs: Sequence[Row], by: str, metrics: Sequence[str], cluster: str) -> ComparedRuns:
    """Compare by comma-separated dimensions and by each metric, the headline if there is none.

    Raises InputError for runs of several suites or versions of a measure, and for an unknown dimension or metric.
    """
    refuse_incomparable(runs)
    names = _dimensions(by)
    chosen = tuple(metrics) or (headline(store, runs) or "valid",)
    compared: list[Family] = []
    samples: list[CaseFigures] = []
    for metric in chosen:
        samples = samples_of(store, runs, metric, cluster)
        compared += families(samples, metric, [name for name in names if name != VARIANT])
        whole = every_pair(samples, metric) if VARIANT in names else None
        compared += [whole] if whole else []
    ids_of = tuple(dict.fromkeys(run["run_id"] for run in runs))
    simulated = any(sample.variant.simulated for sample in samples)
    return ComparedRuns(ids_of, chosen, tuple(compared), simulated, tuple(_notes(samples, compared, by)))


def _dimensions(by: str) -> list[str]:
    names = list(dict.fromkeys(name.strip() for name in by.split(",")))
    for name in names:
        if name not in {*DIMENSIONS, VARIANT}:
            raise InputError(f"--by {name}: is no dimension; choose of {', '.join((*DIMENSIONS, VARIANT))}")
    return names


def _notes(samples: Sequence[CaseFigures], compared: Sequence[Family], by: str) -> list[str]:
    notes = []
    if not compared:
        notes.append(f"{len(samples)} variants, none that differ by one of {by} alone: nothing to compare")
    digests: dict[str, set[str]] = {}
    for sample in samples:
        for case_id, digest in sample.cases:
            digests.setdefault(case_id, set()).add(digest)
    changed = sorted(case_id for case_id, versions in digests.items() if len(versions) > 1)
    if changed:
        notes.append(f"{len(changed)} cases changed between the runs and are not paired: {', '.join(changed[:10])}")
    if len({sample.variant.simulated for sample in samples}) > 1:
        notes.append("simulated models are not compared with real ones")
    return notes
