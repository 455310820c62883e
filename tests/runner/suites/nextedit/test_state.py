from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from runner.suites.nextedit.commits import Edit, Span
from runner.suites.nextedit.state import State
from tests.nextedit import commit_of

COMMIT = commit_of(
    {"a.py": ("a\nb\nc\nd\n", "A\nA\nb\nd\ne\n"), "new.py": (None, "n\n"), "old.py": ("o\n", None)},
)


def test_without_edits_the_texts_are_the_parents() -> None:
    assert State(COMMIT).texts() == {"a.py": "a\nb\nc\nd\n", "old.py": "o\n"}


def test_with_all_edits_the_texts_are_the_childs() -> None:
    assert State(COMMIT, tuple(range(5))).texts() == {"a.py": "A\nA\nb\nd\ne\n", "new.py": "n\n"}


def test_an_edit_moves_with_those_above_it() -> None:
    state = State(COMMIT).after(0)

    assert state.text("a.py") == "A\nA\nb\nc\nd\n"
    assert [state.place(idx) for idx in range(3)] == [Span(0, 2), Span(3, 4), Span(5, 5)]


def test_edits_below_or_in_other_files_move_nothing() -> None:
    assert State(COMMIT, (2, 3)).place(1) == Span(2, 3)


def test_an_added_file_is_not_there_before_its_edit() -> None:
    assert State(COMMIT).text("new.py") is None
    assert State(COMMIT, (3,)).text("new.py") == "n\n"


def test_a_file_that_goes_in_two_edits_is_there_until_the_last() -> None:
    edits = tuple(Edit(at, "a.py", (f"{at}\n",), (), Span(at, at + 1), Span(0, 0)) for at in range(2))
    commit = replace(commit_of({"a.py": ("0\n1\n", None)}), edits=edits)

    assert [State(commit, applied).text("a.py") for applied in ((), (0,), (0, 1))] == ["0\n1\n", "1\n", None]


def test_remaining_edits_are_those_not_applied() -> None:
    assert State(COMMIT, (4, 0)).remaining == (1, 2, 3)


@given(st.permutations(range(5)))
def test_every_order_leads_to_the_same_texts(order: list[int]) -> None:
    state = State(COMMIT)
    for idx in order:
        place = state.place(idx)
        lines = (state.text(COMMIT.edits[idx].path) or "").splitlines(keepends=True)
        assert tuple(lines[place.start : place.end]) == COMMIT.edits[idx].before
        state = state.after(idx)

    assert state.texts() == {"a.py": "A\nA\nb\nd\ne\n", "new.py": "n\n"}
