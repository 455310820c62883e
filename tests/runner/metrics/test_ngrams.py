"""N-grams stay in their piece, and the tallies are the multiset formulas they shorten."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.metrics.alignment import TooLargeError
from runner.metrics.ngrams import LARGEST_COUNT, Cells, Deletion, Empty, NgramCell, combine, count, overlap, tally

pieces = st.lists(st.text("abc", max_size=6), max_size=3)


def test_no_ngram_reaches_from_one_piece_into_the_next() -> None:
    ones, twos, threes = count(["ab", "", "abc"], orders=3)

    assert ones == Counter("ababc")
    assert twos == Counter({"ab": 2, "bc": 1})
    assert threes == Counter({"abc": 1})


@given(pieces, pieces, pieces)
def test_the_tallies_are_those_of_multisets_and_sets(o: list[str], a: list[str], b: list[str]) -> None:
    cells = tally(count(o), count(a), count(b))

    for order, (co, ca, cb) in enumerate(zip(count(o), count(a), count(b), strict=True)):
        kept, to_keep, deleted, to_delete = co & cb, co & ca, co - cb, co - ca
        added, to_add = set(cb) - set(co), set(ca) - set(co)
        assert cells["keep"][order] == NgramCell((kept & to_keep).total(), kept.total(), to_keep.total())
        assert cells["delete"][order] == NgramCell((deleted & to_delete).total(), deleted.total(), to_delete.total())
        assert cells["add"][order] == NgramCell(len(added & to_add), len(added), len(to_add))


@given(pieces, pieces, pieces)
def test_an_overlap_counts_what_all_have_in_common(o: list[str], a: list[str], b: list[str]) -> None:
    for co, ca, cb in zip(count(o), count(a), count(b), strict=True):
        assert overlap(co, ca) == (co & ca).total()
        assert overlap(co, ca, cb) == (co & ca & cb).total()


def test_texts_with_too_many_ngrams_are_refused_before_they_are_counted() -> None:
    with pytest.raises(TooLargeError, match=f"{LARGEST_COUNT + 2} n-grams: more than {LARGEST_COUNT}"):
        count(["a" * (LARGEST_COUNT // 2 + 1)], orders=2)


def one_cell(*, keep: NgramCell, add: NgramCell, delete: NgramCell) -> Cells:
    return {"keep": (keep,), "add": (add,), "delete": (delete,)}


NOTHING = NgramCell(0, 0, 0)


@pytest.mark.parametrize(
    "empty, expected",
    [
        pytest.param("skip", 1.0, id="left out"),
        pytest.param("zero", 1 / 3, id="worth nothing"),
        pytest.param("one", 1.0, id="worth one"),
        pytest.param("match", 1.0, id="worth one where neither side did anything"),
    ],
)
def test_a_perfect_insertion_is_scored_by_the_rule_for_empty_cells(empty: Empty, expected: float) -> None:
    cells = one_cell(keep=NOTHING, add=NgramCell(1, 1, 1), delete=NOTHING)

    assert combine(cells, empty).score == pytest.approx(expected)


@pytest.mark.parametrize(
    "empty, expected",
    [
        pytest.param("skip", 0.0, id="a missed deletion counts"),
        pytest.param("zero", 0.0, id="worth nothing"),
        pytest.param("one", 1.0, id="nothing deleted is precise"),
        pytest.param("match", 0.0, id="the reference deletes"),
    ],
)
def test_deleting_nothing_where_something_was_to_go_depends_on_the_rule(empty: Empty, expected: float) -> None:
    cells = one_cell(keep=NOTHING, add=NOTHING, delete=NgramCell(0, 0, 1))

    assert combine(cells, empty).delete == expected


@pytest.mark.parametrize(
    "deletion, expected", [pytest.param("precision", 1.0, id="precision"), pytest.param("f1", 2 / 3, id="f1")]
)
def test_deleting_half_of_what_was_to_go_is_precise_but_not_complete(deletion: Deletion, expected: float) -> None:
    cells = one_cell(keep=NOTHING, add=NOTHING, delete=NgramCell(1, 1, 2))

    assert combine(cells, deletion=deletion).delete == pytest.approx(expected)


def test_an_operation_nobody_used_has_no_score_and_does_not_count() -> None:
    components = combine(one_cell(keep=NOTHING, add=NgramCell(1, 2, 2), delete=NOTHING))

    assert (components.keep, components.add, components.delete) == (None, 0.5, None)
    assert components.score == 0.5


def test_where_nobody_did_anything_the_score_is_one() -> None:
    assert combine(one_cell(keep=NOTHING, add=NOTHING, delete=NOTHING)).score == 1.0
