"""What is said of plain edits with less work is what every algorithm gives."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from diff_apply import DIFF_ALGORITHMS
from diff_apply.result import DiffError
from runner.audit.answers import ALGORITHMS, texts_made
from runner.audit.plain_edits import PlainEdit, applied_plainly, plain_edit, refused_plainly

LINES = ("a", "b", " a", "a ", "xa", "", "a\r", "\u2028b", "- a", "----", "===", "+++++++ REPLACE", "\\ Newline")
texts = st.builds(
    lambda lines, end: "\n".join(lines) + end, st.lists(st.sampled_from(LINES), max_size=7), st.sampled_from(["", "\n"])
)
sections = st.lists(st.sampled_from(LINES), max_size=4).map(lambda lines: "".join(f"{line}\n" for line in lines))


def diff_of(search: str, replacement: str) -> str:
    return f"------- SEARCH\n{search}=======\n{replacement}+++++++ REPLACE\n"


def made(text: str, diff: str) -> dict[str, str | None]:
    """What each algorithm makes of a diff; None from those that refuse."""
    results = dict[str, str | None]()
    for name in ALGORITHMS:
        try:
            results[name] = DIFF_ALGORITHMS[name](text, diff).text
        except DiffError:
            results[name] = None
    return results


@given(texts, sections, sections, st.sampled_from(["", "\n"]))
@example("a\nb\n", "a\n", "", "")
@example("xa\n", "a\n", "b\n", "")
@example("a\nb\na", "a\n", "b\n", "")
@example("", "\n", "a\n", "")
def test_less_work_gives_what_the_algorithms_give(text: str, search: str, replacement: str, end: str) -> None:
    diff = diff_of(search, replacement).removesuffix("\n") + end

    assert texts_made(text, diff) == made(text, diff)


@pytest.mark.parametrize(
    "text, search, applied, is_refused",
    [
        pytest.param("a\nb\n", "b\n", "a\nc\n", False, id="stands once"),
        pytest.param("b\nb\n", "b\n", None, False, id="stands twice"),
        pytest.param("ab\n", "b\n", None, False, id="within a line"),
        pytest.param(" b\n", "b \n", None, False, id="trimmed"),
        pytest.param("a\n", "b\n", None, True, id="nowhere"),
        pytest.param("a\n", "b\nc\nd\n", None, False, id="nowhere, with lines enough to be similar"),
    ],
)
def test_most_edits_are_seen_at_once(text: str, search: str, applied: str | None, *, is_refused: bool) -> None:
    edit = plain_edit(diff_of(search, "c\n"))

    assert edit == PlainEdit(search, "c\n")
    assert applied_plainly(text, edit) == applied
    assert refused_plainly(text, edit) is is_refused


@pytest.mark.parametrize("line", ["=====", "  ++++", "<<<<<<< SEARCH", "\\ No newline at end of file"])
def test_a_line_that_may_be_a_marker_is_left_to_the_algorithms(line: str) -> None:
    assert plain_edit(diff_of(f"a\n{line}\n", "")) is None
    assert plain_edit(diff_of("a\n", f"{line}\n")) is None
