"""The line diff finds the least changed lines, and which lines stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diff_apply.changes import Change, changes, kept

LINES = st.lists(st.sampled_from("abc"), max_size=9)


CHANGES = [
    pytest.param("abc", "abc", [], id="equal"),
    pytest.param("", "ab", [Change(0, 0, 0, 2)], id="all added"),
    pytest.param("ab", "", [Change(0, 2, 0, 0)], id="all removed"),
    pytest.param("abc", "axc", [Change(1, 2, 1, 2)], id="one replaced"),
    pytest.param("abcd", "bcde", [Change(0, 1, 0, 0), Change(4, 4, 3, 4)], id="moved along"),
    pytest.param("abab", "ab", [Change(2, 4, 2, 2)], id="a repetition removed"),
]


@pytest.mark.parametrize("before, after, expected", CHANGES)
def test_changes_are_ranges_of_lines(before: str, after: str, expected: list[Change]) -> None:
    assert changes(list(before), list(after)) == expected


@given(LINES, LINES)
def test_the_changes_rebuild_the_second_list(before: list[str], after: list[str]) -> None:
    rebuilt, row = list[str](), 0

    for start, end, begin, stop in changes(before, after):
        rebuilt += before[row:start] + after[begin:stop]
        row = end

    assert rebuilt + before[row:] == after


@given(LINES, LINES)
def test_kept_lines_are_equal_and_in_order(before: list[str], after: list[str]) -> None:
    pairs = kept(before, after)

    assert all(after[line] == before[row] for line, row in pairs.items())
    assert list(pairs) == sorted(pairs)
    assert list(pairs.values()) == sorted(set(pairs.values()))


def test_equal_lines_apart_from_the_changes_are_all_kept() -> None:
    assert kept(list("abcd"), list("xbyd")) == {1: 1, 3: 3}


def test_a_large_list_with_few_changes_is_compared_in_full() -> None:
    before = [str(number % 1000) for number in range(60_000)]
    after = [line if at % 1000 else "changed" for at, line in enumerate(before)]

    assert len(changes(before, after)) == 60
