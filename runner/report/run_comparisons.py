"""The comparisons in the report of a run: its variants by each dimension in which they differ, and their ranks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runner.document import Table
from runner.report.case_figures import CaseFigures, headline, samples_of
from runner.report.comparison_tables import comparison_data, comparison_notes, comparison_tables, ranks_of
from runner.report.kept import kept
from runner.report.pairs import Family, every_pair, families
from runner.report.summary import Edits, VariantSummary
from runner.storage.runs import VariantKey, variant_key, variant_rows
from runner.storage.store import Row, Store

_DIMENSIONS = ("model", "prompt", "parser", "algorithm", "edit-tool")


@dataclass(frozen=True, slots=True)
class RunComparisons:
    """The families of comparisons within a run, none with one variant, and the variants' ranks by their parts.

    `first_ranks` are those among the first variants of each model and prompt alone: others score the same answers.
    """

    families: tuple[Family, ...] = ()
    ranks: Mapping[VariantKey, str] | None = None
    first_ranks: Mapping[VariantKey, str] | None = None

    def rank(self, variant: VariantSummary) -> str:
        """Return the rank of a variant, such as `2=`; "" where it has none."""
        return (self.ranks or {}).get(variant.key, "")

    @property
    def tables(self) -> tuple[Table, ...]:
        """For people."""
        return comparison_tables(self.families)

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for each comparison, and what ranks mean."""
        ties = self.ranks is not None and any(rank.endswith("=") for rank in self.ranks.values())
        return (*comparison_notes(self.families), *(("rank: = no difference shown",) if ties else ()))

    @property
    def data(self) -> list[dict[str, Any]]:
        """As JSON values."""
        return comparison_data(self.families)


def run_comparisons(store: Store, run: Row, edits: Edits | None = None, cluster: str = "") -> RunComparisons:
    """Return the comparisons by the headline; none of one variant, and none of attempts chosen by their `edits`.

    `cluster` is the field of the scorings' detail whose value groups cases that are not independent; "" = the case.
    """
    variants = variant_rows(store, run["run_id"])
    if len(variants) < 2 or edits is not None:
        return RunComparisons()
    part = f"comparisons by {cluster or 'case'}"
    return kept(store, run, part, RunComparisons, lambda: _comparisons(store, run, variants, cluster))


def _comparisons(store: Store, run: Row, variants: Sequence[Row], cluster: str) -> RunComparisons:
    metric = headline(store, [run])
    if not metric:
        return RunComparisons()
    samples = samples_of(store, [run], metric, cluster)
    keys = [variant_key(row) for row in variants]
    ranks = _ranks(keys, samples, metric)
    firsts = list({key[:2]: at for at, key in reversed(list(enumerate(keys)))}.values())
    whole = len(firsts) == len(keys)
    first_ranks = ranks if whole else _ranks([keys[at] for at in firsts], [samples[at] for at in firsts], metric)
    return RunComparisons(families(samples, metric, _DIMENSIONS), ranks, first_ranks)


def _ranks(keys: Sequence[VariantKey], samples: Sequence[CaseFigures], metric: str) -> dict[VariantKey, str]:
    ranks = ranks_of(samples, every_pair(samples, metric))
    return {key: ranks.get(sample.variant, "") for key, sample in zip(keys, samples, strict=True)}
