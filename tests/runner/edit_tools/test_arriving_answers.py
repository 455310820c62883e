"""An answer that arrives piece by piece is read as the whole of it is, and shows when its first edit is known."""

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.edit_tools import EDIT_TOOLS
from runner.records import Completion, Outcome
from runner.run.diff_scoring import score_answer

PATH, BEFORE, AFTER = "src/a.py", "one = 1\ntwo = 2\nthree = 3\n", "one = 1\ntwo = 22\nthree = 3\n"
NAMES = [name for name in EDIT_TOOLS if not name.endswith("+")]


@dataclass(frozen=True, slots=True)
class File:
    """The file that the answers are to change."""

    file_path: str = PATH
    file_contents: str = BEFORE
    working_folder: str = "/work"
    expected_contents: tuple[str, ...] = (AFTER,)
    language: str | None = "python"


def answer(name: str) -> str:
    return f"I change `{PATH}`.\n\n{EDIT_TOOLS[name].write(PATH, BEFORE, AFTER)}\nDone.\n"


@pytest.mark.parametrize("name", NAMES)
def test_at_every_cut_an_answer_reads_as_a_fresh_parse_of_it(name: str) -> None:
    text, parser = answer(name), EDIT_TOOLS[name].parser.about(PATH)
    arriving = parser.start()

    for at, letter in enumerate(text, 1):
        arriving.feed(letter)

        assert arriving.snapshot() == parser.parse(text[:at])


@pytest.mark.parametrize("name", NAMES)
def test_the_marks_of_an_edit_come_in_order(name: str) -> None:
    arriving = EDIT_TOOLS[name].parser.start()
    arriving.feed(answer(name))

    marks = arriving.marks

    assert None not in {marks.opened, marks.first_line, marks.closed}
    assert 0 < (marks.opened or 0) <= (marks.first_line or 0) <= (marks.closed or 0) <= len(answer(name))


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40, deadline=None)
@given(cuts=st.lists(st.integers(1, 40), max_size=12))
def test_marks_do_not_depend_on_the_pieces(name: str, cuts: list[int]) -> None:
    text, whole, arriving = answer(name), EDIT_TOOLS[name].parser.start(), EDIT_TOOLS[name].parser.start()
    whole.feed(text)

    rest = text
    for cut in cuts:
        arriving.feed(rest[:cut])
        rest = rest[cut:]
    arriving.feed(rest)

    assert arriving.marks == whole.marks


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60, deadline=None)
@given(text=st.text(max_size=60), cut=st.integers(0, 400))
def test_every_hostile_answer_has_an_outcome(name: str, text: str, cut: int) -> None:
    tool = EDIT_TOOLS[name]

    for hostile in (text, answer(name)[:cut] + text, text + answer(name)[cut:]):
        completion = Completion(hostile, finish_reason="stop")
        (scoring,) = score_answer(File(), completion, (name, tool.parser), {name: tool.algorithm}, "strict")

        assert scoring.outcome is not Outcome.CRASHED, scoring.error_text
        assert (scoring.edited is not None) == (scoring.outcome in {Outcome.APPLIED, Outcome.APPLIED_NOTHING})
