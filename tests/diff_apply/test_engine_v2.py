"""Cline's state machine mends markers of a wrong length, one block at a time, and refuses everything else."""

import pytest

from diff_apply import DIFF_ALGORITHMS
from diff_apply.result import DiffError, Method, Placed, Reason

v2 = DIFF_ALGORITHMS["v2"]

FILE = "a\nb\nc\n"

MENDED = [
    pytest.param("--- SEARCH\nb\n=======\nB\n+++++++ REPLACE\n", "a\nB\nc\n", id="a short start"),
    pytest.param("------- SEARCH\nb\n=======\nB\n+++++++ REPLACE\n", "a\nB\nc\n", id="nothing to mend"),
    pytest.param("--------- SEARCH\nb\n=======\nB\n+++++++ REPLACE\n", "a\nB\nc\n", id="a long start"),
    pytest.param("--- SEARCH\nb\n===\nB\n+++++++ REPLACE\n", "a\nB\nc\n", id="a start and a separator"),
    pytest.param(
        "--- SEARCH\nb\n===\nB\n+++ REPLACE\n------- SEARCH\nc\n=======\nC\n+++++++ REPLACE\n",
        "a\nB\nC\n",
        id="a whole block before another",
    ),
    pytest.param(
        "--- SEARCH\nb\n=======\nB\n+++++++ REPLACE\n\n------- SEARCH\nc\n=======\nC\n+++++++ REPLACE\n",
        "a\nB\nC\n",
        id="blank lines between blocks",
    ),
]


@pytest.mark.parametrize("diff, expected", MENDED)
def test_markers_of_a_wrong_length_are_mended(diff: str, expected: str | Reason) -> None:
    assert outcome(FILE, diff) == expected


def outcome(original: str, diff: str, *, final: bool = True) -> str | Reason:
    try:
        return v2(original, diff, final=final).text
    except DiffError as error:
        return error.reason


REFUSED = [
    pytest.param("------- SEARCH\nb\n=======\nB\n", Reason.UNCLOSED, id="no end"),
    pytest.param("------- SEARCH\nb\n------- SEARCH\n", Reason.MALFORMED, id="a start in a search"),
    pytest.param("------- SEARCH\nb\n=======\n=======\n", Reason.MALFORMED, id="a second separator"),
    pytest.param("=======\nB\n", Reason.MISSING_MARKER, id="a separator with nothing before it"),
    pytest.param("b\n=======\nB\n", Reason.MISSING_MARKER, id="a separator without a start"),
    pytest.param("+++++++ REPLACE\n", Reason.EXTRA_MARKER, id="an end with nothing before it"),
    pytest.param("b\n+++++++ REPLACE\n", Reason.MISSING_MARKER, id="an end without a separator"),
    pytest.param("prose\n------- SEARCH\n", Reason.MALFORMED, id="prose before a block"),
    pytest.param("+++ REPLACE\n------- SEARCH\n", Reason.EXTRA_MARKER, id="a short end before a block"),
    pytest.param("------- SEARCH\nz\n=======\n", Reason.NO_MATCH, id="no match"),
    pytest.param(
        "------- SEARCH\nb\n=======\nB\n+++++++ REPLACE\n------- SEARCH\na\n=======\nA\n+++++++ REPLACE\n",
        Reason.NO_MATCH,
        id="blocks out of order",
    ),
    pytest.param(
        "------- SEARCH\nb\n=======\nB\n+++++++ REPLACE\n------- SEARCH\n=======\nA\n+++++++ REPLACE\n",
        Reason.OVERLAP,
        id="the whole file after a block",
    ),
]


@pytest.mark.parametrize("diff, reason", REFUSED)
def test_everything_else_is_refused(diff: str, reason: Reason) -> None:
    assert outcome(FILE, diff) is reason


def test_an_end_marker_mends_a_separator_that_waits() -> None:
    assert outcome(FILE, "x\n=====\ny\n+++++++ REPLACE\n") is Reason.MISSING_MARKER
    assert outcome(FILE, "--- SEARCH\nb\n=====\nB\n+++++++ REPLACE\n") == "a\nB\nc\n"


def test_an_open_block_shows_while_the_diff_goes_on() -> None:
    assert outcome(FILE, "------- SEARCH\nb\n=======\nB\n", final=False) == "a\nB\n\n"


def test_blocks_are_recorded_when_they_close() -> None:
    diff = "------- SEARCH\nb\n=======\nB\n+++++++ REPLACE\n------- SEARCH\nc\n=======\nC\n"

    applied = v2(FILE, diff, final=False)

    assert applied.blocks == (Placed(2, 4, "B\n", Method.EXACT, block=1),)
