"""The metrics agree with their definitions written out the slow way, one loop for each sum."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.metrics.delta import delta_chrf
from runner.metrics.excision import Conventions, examine
from runner.metrics.ngrams import Empty
from runner.metrics.sample import Sample
from runner.metrics.sari import sari

Column = tuple[int, int, int]
Rows = tuple[list[str], list[str], list[str]]
Ratio = float | None

text = st.lists(st.sampled_from("0123"), max_size=9)
rules = st.sampled_from(["skip", "zero", "one", "match"])


def longest_common(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int]]:
    """Aligned positions: shared beginning, shared end, then a table walked back, dropping from `first` first."""
    if first and second and first[0] == second[0]:
        return [(0, 0), *((i + 1, j + 1) for i, j in longest_common(first[1:], second[1:]))]
    if first and second and first[-1] == second[-1]:
        return [*longest_common(first[:-1], second[:-1]), (len(first) - 1, len(second) - 1)]
    lengths = common_lengths(first, second)
    pairs = []
    i, j = len(first), len(second)
    while lengths[i, j]:
        if lengths[i - 1, j] == lengths[i, j]:
            i -= 1
        elif lengths[i, j - 1] == lengths[i, j]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((i, j))
    return pairs[::-1]


def common_lengths(first: Sequence[str], second: Sequence[str]) -> Counter[tuple[int, int]]:
    """The length of the longest common subsequence of every pair of beginnings."""
    lengths = Counter[tuple[int, int]]()
    for i, j in product(range(1, len(first) + 1), range(1, len(second) + 1)):
        same = first[i - 1] == second[j - 1]
        lengths[i, j] = lengths[i - 1, j - 1] + 1 if same else max(lengths[i - 1, j], lengths[i, j - 1])
    return lengths


def conserved_columns(o: list[str], a: list[str], b: list[str]) -> list[Column]:
    if o and a and b and o[0] == a[0] == b[0]:
        rest = conserved_columns(o[1:], a[1:], b[1:])
        return [(0, 0, 0), *((i + 1, j + 1, k + 1) for i, j, k in rest)]
    if o and a and b and o[-1] == a[-1] == b[-1]:
        return [*conserved_columns(o[:-1], a[:-1], b[:-1]), (len(o) - 1, len(a) - 1, len(b) - 1)]
    with_a, with_b = longest_common(o, a), longest_common(o, b)
    nested = longest_common([o[i] for i, _ in with_a], [o[i] for i, _ in with_b])
    return [(with_a[p][0], with_a[p][1], with_b[q][1]) for p, q in nested]


def divergent_rows(o: list[str], a: list[str], b: list[str]) -> Iterator[Rows]:
    ends = [(-1, -1, -1), *conserved_columns(o, a, b), (len(o), len(a), len(b))]
    for (i, j, k), (x, y, z) in pairwise(ends):
        rows = o[i + 1 : x], a[j + 1 : y], b[k + 1 : z]
        if any(rows):
            yield rows


def grams_of(pieces: Sequence[Sequence[str]], order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(p[at : at + order]) for p in pieces for at in range(len(p) - order + 1))


def ratio(good: int, whole: int, other: int, empty: Empty) -> Ratio:
    if whole:
        return good / whole
    if empty == "skip":
        return None if other == 0 else 0.0
    return {"zero": 0.0, "one": 1.0, "match": 1.0 if other == 0 else 0.0}[empty]


def f1(precision: Ratio, recall: Ratio) -> Ratio:
    if precision is None or recall is None:
        return None
    return 0.0 if precision + recall == 0 else 2 * precision * recall / (precision + recall)


def mean(values: Sequence[Ratio]) -> Ratio:
    there = [value for value in values if value is not None]
    return sum(there) / len(there) if there else None


def sari_of(rows: Sequence[Rows], empty: Empty) -> float:
    keep, add, delete = [], [], []
    for order in (1, 2, 3, 4):
        o, a, b = (grams_of([row[which] for row in rows], order) for which in range(3))
        added, to_add = {g for g in b if g not in o}, {g for g in a if g not in o}
        good = len(added & to_add)
        precision = ratio(good, len(added), len(to_add), empty)
        add.append(f1(precision, ratio(good, len(to_add), len(added), empty)))
        kept, to_keep = o & b, o & a
        good = sum((kept & to_keep).values())
        precision = ratio(good, kept.total(), to_keep.total(), empty)
        keep.append(f1(precision, ratio(good, to_keep.total(), kept.total(), empty)))
        deleted, to_delete = o - b, o - a
        good = sum((deleted & to_delete).values())
        delete.append(ratio(good, deleted.total(), to_delete.total(), empty))
    score = mean([mean(keep), mean(add), mean(delete)])
    return 1.0 if score is None else score


@settings(max_examples=300)
@given(text, text, text, rules)
def test_the_excision_score_is_sari_of_the_divergent_regions(
    o: list[str], a: list[str], b: list[str], empty: Empty
) -> None:
    found = examine(o, a, b, options=Conventions(empty=empty))

    assert [(list(r.origin), list(r.reference), list(r.hypothesis)) for r in found.regions] == list(
        divergent_rows(o, a, b)
    )
    assert found.components.score == pytest.approx(sari_of(list(divergent_rows(o, a, b)), empty))


@given(text, text, text, rules)
def test_sari_is_the_same_over_whole_documents(o: list[str], a: list[str], b: list[str], empty: Empty) -> None:
    assert sari(o, [a], b, empty).score == pytest.approx(sari_of([(o, a, b)], empty))


@given(text, text, text)
def test_a_reference_given_twice_changes_nothing(o: list[str], a: list[str], b: list[str]) -> None:
    assert sari(o, [a, a], b).score == pytest.approx(sari(o, [a], b).score)


def delta_chrf_slowly(origin: str, reference: str, hypothesis: str) -> float:
    precisions, recalls = [], []
    for order in range(1, 7):
        o, r, h = (grams_of([text], order) for text in (origin, reference, hypothesis))
        good = done = asked = 0
        for gram in o | r | h:
            wanted, made = r[gram] - o[gram], h[gram] - o[gram]
            asked, done = asked + abs(wanted), done + abs(made)
            good += min(abs(wanted), abs(made)) if wanted * made > 0 else 0
        both_empty = asked == done == 0
        precisions.append(good / done if done else float(both_empty))
        recalls.append(good / asked if asked else float(both_empty))
    p, r_ = sum(precisions) / 6, sum(recalls) / 6
    return 5 * p * r_ / (4 * p + r_) if p + r_ else 0.0


@given(*[st.text("abc", max_size=14)] * 3, st.text("abc", max_size=12), st.text("abc", max_size=12))
def test_delta_chrf_is_its_formula_over_whole_texts(o: str, a: str, b: str, head: str, tail: str) -> None:
    origin, reference, hypothesis = head + o + tail, head + a + tail, head + b + tail

    found = delta_chrf(Sample(origin, (reference,), hypothesis))

    assert found == pytest.approx(delta_chrf_slowly(origin, reference, hypothesis))
