"""The comparisons in the report of a run: its variants by each dimension in which they differ, and their ranks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runner.document import Table
from runner.report.case_figures import headline, samples_of
from runner.report.comparison_tables import comparison_data, comparison_notes, comparison_tables, ranks_of
from runner.report.pairs import Family, every_pair, families
from runner.report.summary import Edits, VariantSummary
from runner.storage.runs import variant_key, variant_rows
from runner.storage.store import Row, Store

_DIMENSIONS = ("model", "prompt", "parser", "algorithm")


@dataclass(frozen=True, slots=True)
class RunComparisons:
    """The families of comparisons within a run, none with one variant, and the variants' ranks by their parts."""

    families: tuple[Family, ...] = ()
    ranks: Mapping[tuple[str, str, str, str], str] | None = None

    def rank(self, variant: VariantSummary) -> str:
        """Return the rank of a variant, such as `2=`; "" where it has none."""
        key = variant.sut, variant.prompt, variant.parser, variant.diff_algorithm
        return (self.ranks or {}).get(key, "")

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
    metric = headline(store, [run])
    if len(variants) < 2 or edits is not None or not metric:
        return RunComparisons()
    samples = samples_of(store, [run], metric, cluster)
    ranks = ranks_of(samples, every_pair(samples, metric))
    by_key = {variant_key(row): ranks.get(sample.variant, "") for row, sample in zip(variants, samples, strict=True)}
    return RunComparisons(families(samples, metric, _DIMENSIONS), by_key)
