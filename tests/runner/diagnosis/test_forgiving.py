"""A block matches under the smallest set of relaxations, in their fixed order, with bounded work."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diff_apply import DIFF_ALGORITHMS
from diff_apply.generate import diff_of
from diff_apply.lines import Source
from runner.diagnosis.causes import FOLDS, Relaxation, Unforgivable, folded, is_elision, relaxation_sets
from runner.diagnosis.failure import FailedDiff, diagnose_diff
from runner.diagnosis.leniency import forgiven_by
from runner.diagnosis.markers import read_leniently
from runner.diagnosis.readings import one_off
from tests.runner.diagnosis.planted import block

FILE = "def f(a):\n    b = 'x'\n    c = 2\n    d = 3\n    return b\n\ndef g():\n    return 1\n"


def causes(search: str, file: str = FILE) -> str:
    """The cause for an algorithm that forgives nothing."""
    cause = diagnose_diff(FailedDiff(file, block(search, "changed\n"), (), "of:nobody")).cause
    return str(cause) if isinstance(cause, Unforgivable) else " + ".join(cause)


CAUSES = [
    pytest.param("    c = 2\r\n", "line ends", id="CRLF"),
    pytest.param("    c = 2  \n", "trailing space", id="blanks behind"),
    pytest.param("c = 2\n", "indentation", id="no indentation"),
    pytest.param("\tc = 2\n", "indentation", id="a tab"),
    pytest.param("    b = \u2018x\u2019\n", "quotes and dashes", id="curly quotes"),
    pytest.param("    b = 'x\u200b'\n", "invisible characters", id="a zero-width space"),
    pytest.param("c = 2 \r\n", "line ends + trailing space + indentation", id="three at once"),
    pytest.param("def f(a):\n# ...\n    return b\n", "elided lines", id="a comment with dots"),
    pytest.param("def f(a):\n...\nreturn b\n", "indentation + elided lines", id="dots and no indentation"),
    pytest.param("    c = 2\n\n    d = 3\n", "a line off", id="a line more"),
    pytest.param("    b = 'x'\n    d = 3\n", "a line off", id="a line less"),
    pytest.param("    b = 'x'\n    c = 20\n    d = 3\n", "a line off", id="another line"),
    pytest.param("    return\n", "stale or imagined text", id="a part of a line"),
    pytest.param("...\n", "stale or imagined text", id="nothing but dots"),
    pytest.param("\n\n", "empty SEARCH", id="blank lines"),
]


@pytest.mark.parametrize("search, cause", CAUSES)
def test_the_smallest_set_of_relaxations_is_the_cause(search: str, cause: str) -> None:
    assert causes(search) == cause


def test_several_places_are_forgiven_last_and_the_first_after_the_block_before_is_taken() -> None:
    file = "a\nb\na\n"
    diff = block("b\n", "B\n") + block("a\n", "A\n")

    diagnosis = diagnose_diff(FailedDiff(file, diff, ("a\nB\nA\n",), "v4"))

    assert diagnosis.cause == (Relaxation.SEVERAL,)
    assert diagnosis.right
    assert [cause.line for cause in diagnosis.blocks] == [3]


def test_a_stricter_place_is_preferred_to_several_looser_ones() -> None:
    assert causes("  a\n", "a\n\ta\n  a  \n") == "trailing space"


def test_sets_are_tried_from_small_to_large_in_the_fixed_order() -> None:
    sets = relaxation_sets()

    assert sets[0] == frozenset()
    assert [len(chosen) for chosen in sets] == sorted(len(chosen) for chosen in sets)
    assert [next(iter(chosen)) for chosen in sets[1:6]] == list(FOLDS)


RESULTS = [
    pytest.param("    c = 2\n\n    d = 3\n", "    c = 4\n\n    d = 3\n", "    c = 4\n    d = 3\n", id="a line more"),
    pytest.param(
        "    b = 'x'\n    d = 3\n", "    b = 'y'\n    d = 3\n", "    b = 'y'\n    c = 2\n    d = 3\n", id="less"
    ),
    pytest.param(
        "def f(a):\n    ...\n    return b\n",
        "def f(a, z):\n    ...\n    return b\n",
        "def f(a, z):\n    b = 'x'\n    c = 2\n    d = 3\n    return b\n",
        id="elided",
    ),
    pytest.param("def f(a):\n...\n    return b\n", "pass\n", "pass\n", id="elided lines that the REPLACE drops"),
]


@pytest.mark.parametrize("search, replacement, changed", RESULTS)
def test_what_a_block_does_not_speak_of_stays_in_the_file(search: str, replacement: str, changed: str) -> None:
    start = "def f(a" if "def f" in search else search.split("\n", maxsplit=1)[0]
    end = "return b\n" if "return b" in search else "d = 3\n"
    before, rest = FILE.split(start, 1)[0], FILE.split(end, 1)[1]

    diagnosis = diagnose_diff(FailedDiff(FILE, block(search, replacement), (before + changed + rest,), "v4"))

    assert diagnosis.right


MALFORMED = [
    pytest.param("-------SEARCH\na\n=======\nA\n+++++++ REPLACE\n", 1, id="no space"),
    pytest.param("------- SEARCH\na\n=======\nA\n+++++++ REPLACED\n", 1, id="another word"),
    pytest.param("------- SEARCH\na\n=======\nA\n", 1, id="no end marker"),
    pytest.param("------- SEARCH\na\n=======\n=======\nA\n+++++++ REPLACE\n", 1, id="a doubled separator"),
    pytest.param("------- SEARCH\n------- SEARCH\na\n=======\nA\n+++++++ REPLACE\n", 1, id="a doubled start"),
    pytest.param("------- SEARCH\na\n=======\nA\n+++++++ REPLACE\n+++++++ REPLACE\n", 1, id="a doubled end"),
    pytest.param("<<<<<<< HEAD\na\n=======\nA\n>>>>>>> UPDATED\n", 1, id="conflict markers"),
    pytest.param(
        "------- SEARCH\na\n=======\nA\n------- SEARCH\nb\n=======\nB\n+++++++ REPLACE\n", 2, id="no end between"
    ),
    pytest.param("------- SEARCH\na\nA\n+++++++ REPLACE\n", 0, id="no separator"),
    pytest.param("a\n=======\nA\n+++++++ REPLACE\n", 0, id="no start"),
    pytest.param("a\n", 0, id="no marker"),
]


@pytest.mark.parametrize("diff, count", MALFORMED)
def test_malformed_markers_are_read_where_the_sections_can_be_told_apart(diff: str, count: int) -> None:
    read = read_leniently(diff)

    assert (len(read.blocks) if read else 0) == count
    assert read is None or read.repaired


FORGIVEN = {
    "v1": {"line ends", "trailing space", "indentation", "several places"},
    "v3": {"line ends", "trailing space", "indentation", "block order", "several places"},
    "v4": {"line ends", "trailing space", "indentation", "block order"},
}


@pytest.mark.parametrize("algorithm", FORGIVEN)
def test_trials_show_what_an_algorithm_forgives(algorithm: str) -> None:
    assert forgiven_by(algorithm) == FORGIVEN[algorithm]
    assert forgiven_by("module:Plugin") == frozenset()


@pytest.mark.parametrize(
    "line, stands_for_others",
    [
        ("...", True),
        ("  // ... existing code ...", True),
        ("# … rest of the function", True),
        ("/* ... */", True),
        ("f(...args)", False),
        ("...args,", False),
        ("# a comment", False),
    ],
)
def test_lines_of_dots_and_comments_with_dots_stand_for_others(line: str, stands_for_others: bool) -> None:
    assert is_elision(line) is stands_for_others


LINES = st.lists(
    st.sampled_from(["a", "b", " a", "a ", "\u2018a\u2019", "'a'", "", "x\u200b", "x\r"]), min_size=1, max_size=8
)


@given(LINES, LINES)
def test_more_relaxations_never_make_equal_lines_differ(first: list[str], second: list[str]) -> None:
    pairs = zip(first, second, strict=False)
    sets = [chosen for chosen in relaxation_sets() if chosen <= set(FOLDS)]

    for line, other in pairs:
        equal = {chosen for chosen in sets if folded(line, chosen) == folded(other, chosen)}
        assert all(larger in equal for chosen in equal for larger in sets if chosen < larger)


@given(LINES, LINES)
def test_a_right_diff_is_never_given_a_cause_under_v4(before: list[str], after: list[str]) -> None:
    original, expected = "".join(f"{line}\n" for line in before), "".join(f"{line}\n" for line in after)
    diff = diff_of(original, expected)
    if not diff:
        return

    assert DIFF_ALGORITHMS["v4"](original, diff).text == expected
    diagnosis = diagnose_diff(FailedDiff(original, diff, (expected,), "v4"))

    assert diagnosis.right
    assert diagnosis.cause is Unforgivable.UNEXPLAINED


@given(LINES, LINES)
def test_any_diff_has_a_cause(before: list[str], search: list[str]) -> None:
    original, lines = "".join(f"{line}\n" for line in before), "".join(f"{line}\n" for line in search)

    assert diagnose_diff(FailedDiff(original, block(lines, "new\n"), (), "v4")).cause


def test_one_line_never_matches_by_being_off() -> None:
    assert one_off(Source("a\nb\nc\n"), ["x"], ["y"]) == []
    assert one_off(Source("a\nb\nc\n"), ["a", "x"], ["y"]) == []


BOUNDED = [
    pytest.param("x\n" * 100_000, "x \n" * 2_000, id="equal lines"),
    pytest.param("x\n" * 100_000, "x\ny\n" * 1_000, id="half of the lines"),
    pytest.param("x\n" * 100_000, "x\n...\n" * 20 + "y\n", id="elisions that lead nowhere"),
    pytest.param("x\n" * 100_000, "x\n...\n" * 20 + "x\n", id="elisions that lead anywhere"),
    pytest.param("x\u200b\n" * 100_000, " \u2018x\n" * 2_000, id="nothing alike"),
]


@pytest.mark.parametrize("file, search", BOUNDED)
def test_the_work_for_a_block_is_bounded(file: str, search: str) -> None:
    began = time.process_time()

    diagnose_diff(FailedDiff(file, block(search, "new\n"), (), "v4"))

    assert time.process_time() - began < 5
