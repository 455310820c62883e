"""Over any malformed markers, `v4` differs from `v3` only for reasons that have a name, and writes no marker."""

import re

import pytest
from hypothesis import example, given, settings

from diff_apply import DIFF_ALGORITHMS
from diff_apply.result import DiffError
from tests.diff_apply.disagreements import AGREED, MEANINGS, classify
from tests.diff_apply.malformed import cases

# A line that holds a run of seven and the word, or one of angle brackets alone; an own small reading.
MEANT = re.compile(r"^\s*(?:[-<+>]{7} ?(?:SEARCH|REPLACE)\b.*|<{7}|>{7})\s*$")

END = "+++++++ REPLACE"
MALFORMED = [
    pytest.param("a\n", f"------- SEARCH\na\n=======\n{END}D\n{END}", "refused_leftover_marker", id="a bent end"),
    pytest.param("a\n", f"------- SEARCH\na\n=======\n>>>>>>>\n{END}", "refused_leftover_marker", id="half an end"),
    pytest.param("===\na\n", f"------- SEARCH\n===\n=======\nb\n{END}", "applied_underline", id="an underline"),
    pytest.param(
        "a\n", f"------- SEARCH\na\n=======\nb\n\\ Newline at end of file\n{END}", "stated_newline", id="a statement"
    ),
    pytest.param(
        "+++ REPLACE\na\n",
        "-------- SEARCH\n+++ REPLACE\n========\nb\n++++++++ REPLACE",
        "fenced",
        id="a fence",
    ),
    pytest.param(
        "b \nc\nd\n    b",
        f"------- SEARCH\n    b\n=======\nB\n{END}\n------- SEARCH\nb \n=======\nC\n{END}\n"
        f"------- SEARCH\nd\n=======\nD\n{END}",
        "other_place",
        id="blocks that change places",
    ),
]


@pytest.mark.parametrize("original, diff, kind", MALFORMED)
def test_a_difference_has_its_name(original: str, diff: str, kind: str) -> None:
    assert classify(original, diff) == kind


@settings(max_examples=150, deadline=None)
@given(cases)
@example(("a\n", "------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n+++++++ REPLACE."))
def test_v4_and_v3_differ_only_for_named_reasons(case: tuple[str, str]) -> None:
    assert classify(*case) in {AGREED, *MEANINGS}


@settings(max_examples=150, deadline=None)
@given(cases)
def test_no_line_that_was_meant_as_a_marker_is_written(case: tuple[str, str]) -> None:
    original, diff = case
    try:
        edited = DIFF_ALGORITHMS["v4"](original, diff).text
    except DiffError:
        return

    known = {line.strip() for line in original.split("\n")}
    fenced = any(line.startswith("--------") for line in diff.split("\n"))
    assert fenced or not [line for line in edited.split("\n") if MEANT.match(line) and line.strip() not in known]
