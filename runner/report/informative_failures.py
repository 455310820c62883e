"""Chooses the failures of a run that say most: of every kind some, first those at cases that others get right."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from itertools import islice, zip_longest

from runner.report.class_counts import ClassCounts
from runner.report.classes import RIGHT
from runner.storage.runs import VariantKey, variant_key
from runner.storage.store import Row, Store

_FAILED = """
SELECT t.sut, t.prompt, t.parser, t.diff_algorithm, t.case_id, t.outcome, c.class, t.scoring_id
FROM attempts t JOIN classes c USING (scoring_id)
WHERE t.run_id = ? AND c.class IN ('wrong', 'failed', 'invalid', 'infrastructure')
ORDER BY t.number, t.try, t.scoring_id"""


def informative_failures(
    store: Store, run: Row, variants: Collection[VariantKey], counts: ClassCounts, most: int
) -> tuple[list[int], int]:
    """Return the ids of at most so many failed scorings of these variants, and how many failed in all.

    Kinds are pairs of variant and outcome; they take turns. Within a kind, the first failure of each case comes before
    second ones, and cases that more attempts get right before harder ones.
    """
    ease = _ease(counts)
    kinds: defaultdict[tuple[VariantKey, str], list[tuple[int, float, str, int]]] = defaultdict(list)
    repeats: defaultdict[tuple[VariantKey, str, str], int] = defaultdict(int)
    failed = 0
    for row in store.stream(_FAILED, run["run_id"]):
        variant = variant_key(row)
        if variant in variants:
            failed += 1
            case_id, outcome = row["case_id"], row["outcome"]
            nth = repeats[variant, outcome, case_id]
            repeats[variant, outcome, case_id] += 1
            kinds[variant, outcome].append((nth, -ease[case_id], case_id, row["scoring_id"]))
    return list(islice(_in_turn(sorted(kind) for kind in kinds.values()), most)), failed


def _in_turn(kinds: Iterator[list[tuple[int, float, str, int]]]) -> Iterator[int]:
    for turn in zip_longest(*kinds):
        yield from (failure[-1] for failure in turn if failure is not None)


def _ease(counts: ClassCounts) -> defaultdict[str, float]:
    """Return the share of right attempts of all variants at each case."""
    right, attempts = defaultdict[str, int](int), defaultdict[str, int](int)
    for cases in counts.by_case.values():
        for case_id, classes in cases.items():
            right[case_id] += sum(count for name, count in classes.items() if name in RIGHT)
            attempts[case_id] += sum(classes.values())
    return defaultdict(float, {case_id: right[case_id] / count for case_id, count in attempts.items() if count})
