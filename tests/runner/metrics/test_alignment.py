"""Three documents are aligned as the Excision Score's definition says, in any size that fits."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.metrics import alignment
from runner.metrics.alignment import Conserved, GapSlices, TooLargeError, align, conserve, intern, regions

short = st.text("abc", max_size=9)


def plain_alignment(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int]]:
    """The definition, spelt out: common beginning, common end, then a table walked back from its end."""
    head = 0
    while head < min(len(first), len(second)) and first[head] == second[head]:
        head += 1
    tail = 0
    while tail < min(len(first), len(second)) - head and first[-1 - tail] == second[-1 - tail]:
        tail += 1
    x, y = first[head : len(first) - tail], second[head : len(second) - tail]
    table = [[0] * (len(y) + 1) for _ in range(len(x) + 1)]
    for i, left in enumerate(x, 1):
        for j, right in enumerate(y, 1):
            best = max(table[i - 1][j], table[i][j - 1])
            table[i][j] = table[i - 1][j - 1] + 1 if left == right else best
    middle = []
    i, j = len(x), len(y)
    while i and j:
        if table[i][j] == table[i - 1][j]:
            i -= 1
        elif table[i][j] == table[i][j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            middle.append((head + i, head + j))
    ends = [(len(first) - tail + k, len(second) - tail + k) for k in range(tail)]
    return [*((k, k) for k in range(head)), *reversed(middle), *ends]


@given(short, short)
def test_an_alignment_breaks_ties_as_defined(first: str, second: str) -> None:
    assert list(zip(*align(first, second), strict=True)) == plain_alignment(first, second)


@given(st.lists(st.sampled_from(["x", "yy", ""])), st.lists(st.sampled_from(["x", "z"])))
def test_interned_documents_are_equal_where_the_tokens_are(first: list[str], second: list[str]) -> None:
    one, two = intern(first, second)

    assert [len(one), len(two)] == [len(first), len(second)]
    assert all((a == b) == (c == d) for a, c in zip(first, one, strict=True) for b, d in zip(second, two, strict=True))


def test_the_example_of_the_paper_has_three_conserved_columns_and_two_regions() -> None:
    columns = conserve("CTGCAATT", "CGTCAA", "CGCACT")

    assert columns == Conserved([0, 3, 4], [0, 3, 4], [0, 2, 3])
    assert list(regions(columns, (8, 6, 6))) == [
        GapSlices(slice(1, 3), slice(1, 3), slice(1, 2)),
        GapSlices(slice(5, 8), slice(5, 6), slice(4, 6)),
    ]


@given(short, short, short, st.sampled_from(["nested", "anchor"]))
def test_conserved_columns_are_equal_and_increasing(o: str, a: str, b: str, mode: alignment.Mode) -> None:
    columns = conserve(o, a, b, mode=mode)

    for row, document in ((columns.origin, o), (columns.reference, a), (columns.hypothesis, b)):
        assert row == sorted(set(row))
        assert [document[at] for at in row] == [o[at] for at in columns.origin]


@given(short, short, short)
def test_regions_and_conserved_columns_together_are_the_documents(o: str, a: str, b: str) -> None:
    columns = conserve(o, a, b)
    places = list(regions(columns, (len(o), len(a), len(b))))

    assert sum(len(o[at.origin]) for at in places) + len(columns) == len(o)
    assert sum(len(a[at.reference]) for at in places) + len(columns) == len(a)
    assert sum(len(b[at.hypothesis]) for at in places) + len(columns) == len(b)
    assert all(o[at.origin] or a[at.reference] or b[at.hypothesis] for at in places)


@given(short, short, short)
def test_anchors_do_not_depend_on_which_revision_is_the_reference(o: str, a: str, b: str) -> None:
    there, back = conserve(o, a, b, mode="anchor"), conserve(o, b, a, mode="anchor")

    assert (there.origin, there.reference, there.hypothesis) == (back.origin, back.hypothesis, back.reference)


@given(short, short, short)
def test_anchors_are_never_more_than_the_nested_columns_of_equal_revisions(o: str, a: str, b: str) -> None:
    assert len(conserve(o, a, b, mode="anchor")) <= min(len(align(o, a)[0]), len(align(o, b)[0]))
    assert len(conserve(o, a, a)) == len(align(o, a)[0])


def test_texts_too_large_to_align_are_refused_at_once() -> None:
    first, second = "a" * 40_000 + "x", "b" * 40_000

    with pytest.raises(TooLargeError, match="40001 and 40000 tokens between"):
        align(first, second)


def test_long_texts_with_a_small_difference_are_not_too_large() -> None:
    shared = "ab" * 500_000

    columns = conserve(shared + "o", shared + "x", shared + "y")

    assert len(columns) == 1_000_000


def test_more_tokens_than_characters_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alignment, "LARGEST_VOCABULARY", 2)

    with pytest.raises(TooLargeError, match="3 different tokens"):
        intern(["a", "b"], ["c"])
