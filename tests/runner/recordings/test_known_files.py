"""States of files: patches of any two texts lead from one to the other, and nothing is guessed."""

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.recordings.known_files import KnownFiles, patched, replaced
from runner.recordings.vocabulary import UNKNOWN, Certainty, FileState, Replacement

texts = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "\n", "a\u2028b\n", "@@\n"])).map("".join) | st.text(
    "ab\n", max_size=9
)


def unified(before: str, after: str, context: int) -> str:
    """A unified diff as git writes it, with the mark for a missing newline at the end."""
    rows = list(difflib.unified_diff(lines(before), lines(after), n=context))[2:]
    return "".join(row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows)


def lines(text: str) -> list[str]:
    *ended, rest = text.split("\n")
    return [f"{line}\n" for line in ended] + [rest] * bool(rest)


@given(texts, texts, st.integers(0, 3))
def test_a_patch_leads_from_the_text_before_to_the_text_after(before: str, after: str, context: int) -> None:
    if before != after:
        assert patched(before, unified(before, after, context)) == after


@given(texts, texts, texts)
def test_a_patch_of_another_text_is_refused_or_fits(before: str, after: str, other: str) -> None:
    diff = unified(before, after, 3)

    assert patched(other, diff) is None or all(line[1:] in other for line in diff.splitlines() if line.startswith("-"))


@pytest.mark.parametrize(
    "text, edits, expected",
    [
        pytest.param("a b a", [Replacement("a", "c")], "c b a", id="the first place"),
        pytest.param("a b a", [Replacement("a", "c", everywhere=True)], "c b c", id="everywhere"),
        pytest.param("a b", [Replacement("a", "c"), Replacement("c", "d")], "d b", id="each on the result before"),
    ],
)
def test_replacements_that_were_made_are_made_again(text: str, edits: list[Replacement], expected: str) -> None:
    assert replaced(FileState(text), edits) == FileState(expected)


def test_a_replacement_whose_text_is_missing_leaves_the_state_unknown() -> None:
    assert replaced(FileState("b"), [Replacement("a", "c")]) == UNKNOWN
    assert replaced(UNKNOWN, [Replacement("a", "c")]) == UNKNOWN


def test_after_a_shell_command_a_known_file_is_only_last_seen() -> None:
    files = KnownFiles("/work")
    files.put("a.py", FileState("a"))
    files.put("b.py", UNKNOWN)

    files.shell_ran()

    assert files.state("a.py") == FileState("a", Certainty.LAST_SEEN)
    assert files.state("b.py") == UNKNOWN


def test_paths_are_named_below_the_working_folder() -> None:
    files = KnownFiles("/work")

    assert [files.named(path) for path in ("/work/a/b.py", "./c.py", "/other/d.py")] == [
        "a/b.py",
        "c.py",
        "/other/d.py",
    ]
