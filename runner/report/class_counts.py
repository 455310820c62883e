"""How many attempts of each variant ended in each class at each case: what bars of outcomes and heat maps count."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from runner.report.classes import UNDECIDED
from runner.storage.runs import VariantKey, variant_key
from runner.storage.store import Row, Store

_COUNTS = """
SELECT t.sut, t.prompt, t.parser, t.diff_algorithm, t.case_id, c.class, count(*) AS n
FROM attempts t JOIN classes c USING (scoring_id) WHERE t.run_id = ?
GROUP BY t.sut, t.prompt, t.parser, t.diff_algorithm, t.case_id, c.class ORDER BY t.case_id"""


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """The counts by variant, case and class of the view `classes`."""

    by_case: Mapping[VariantKey, Mapping[str, Mapping[str, int]]]

    def totals(self, variant: VariantKey) -> Counter[str]:
        """Return the counts of a variant over all cases."""
        total = Counter[str]()
        for counts in self.by_case.get(variant, {}).values():
            total.update(counts)
        return total

    def undecided(self) -> frozenset[str]:
        """Return the cases for which nothing decides what is right."""
        return frozenset(
            case_id
            for cases in self.by_case.values()
            for case_id, counts in cases.items()
            if not UNDECIDED.isdisjoint(counts)
        )


def class_counts(store: Store, run: Row) -> ClassCounts:
    """Return the counts of a run."""
    counts: defaultdict[VariantKey, defaultdict[str, dict[str, int]]] = defaultdict(lambda: defaultdict(dict))
    for row in store.stream(_COUNTS, run["run_id"]):
        counts[variant_key(row)][row["case_id"]][row["class"]] = row["n"]
    return ClassCounts(counts)
