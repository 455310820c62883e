"""The generated diff gives the text it was made for: by `v4` for any texts, by all versions for ordinary ones."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from diff_apply import DIFF_ALGORITHMS
from diff_apply.generate import diff_of, edit_blocks

NO_NEWLINE, NEWLINE = "\\ No newline at end of file", "\\ Newline at end of file"

ODD_LINES = [
    *("", "a", "b", "c", "a ", "  a", "\ta", "x\r", "a\r", "\r", "\u2028", "a\u0085b", "\U0001f600", "\ufeff"),
    *("=======", "====", "===\r", "=========", "------- SEARCH", "<<< SEARCH>", "-------- SEARCH\r"),
    *("+++++++ REPLACE", ">>>>>>>>> REPLACE>", NO_NEWLINE, NEWLINE, NO_NEWLINE + "\r"),
]


def texts(lines: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Texts of few different lines, with or without a final newline."""
    few = st.lists(lines, min_size=1, max_size=5).flatmap(lambda some: st.lists(st.sampled_from(some), max_size=8))
    return st.builds(lambda rows, end: "\n".join(rows) + end, few, st.sampled_from(["", "\n"]))


def edited(text: str, places: list[tuple[int, int, list[str]]]) -> str:
    """The text with lines replaced: (where, how many, by what), wrapped around."""
    rows = text.split("\n")
    for at, count, new in places:
        start = at % (len(rows) + 1)
        rows[start : start + count] = new
    return "\n".join(rows)


def pairs(lines: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, str]]:
    """Two texts: unrelated, or the second an edit of the first."""
    edit = st.tuples(st.integers(0, 9), st.integers(0, 2), st.lists(lines, max_size=2))
    related = st.builds(lambda text, places: (text, edited(text, places)), texts(lines), st.lists(edit, max_size=3))
    return st.one_of(st.tuples(texts(lines), texts(lines)), related)


@settings(max_examples=150)
@given(pairs(st.sampled_from(ODD_LINES)))
@example(("b\r\na", "b\r\nx\ny"))
@example(("a\r\nb", "a\r"))
@example((f"a\n{NO_NEWLINE}", f"b\n{NO_NEWLINE}"))
@example((f"{NO_NEWLINE}\n", NO_NEWLINE))
@example(("=======\r\nd", "+++ REPLACE\n=======\r\na\nd"))
def test_the_diff_gives_the_text_whatever_its_lines_are(pair: tuple[str, str]) -> None:
    before, after = pair

    assert DIFF_ALGORITHMS["v4"](before, diff_of(before, after)).text == after


@settings(max_examples=150)
@given(st.text(), st.text())
def test_the_diff_gives_any_text(before: str, after: str) -> None:
    assert DIFF_ALGORITHMS["v4"](before, diff_of(before, after)).text == after


@settings(max_examples=150)
@given(pairs(st.sampled_from(["a", "b", "aa", "ba", "  a", "}", "", "\tb", "é", "# x"])))
def test_all_versions_take_the_diff_of_ordinary_files(pair: tuple[str, str]) -> None:
    before, after = (text if not text or text.endswith("\n") else text + "\n" for text in pair)
    diff = diff_of(before, after)

    texts_given = {name: algorithm(before, diff).text for name, algorithm in DIFF_ALGORITHMS.items()}

    assert texts_given == dict.fromkeys(DIFF_ALGORITHMS, after)


@settings(max_examples=150)
@given(pairs(st.sampled_from(["a", "b", "ab", "}", ""])))
def test_each_search_stands_once_in_the_file_and_after_the_one_before(pair: tuple[str, str]) -> None:
    before, after = (text if text.endswith("\n") else text + "\n" for text in pair)
    end = 0

    for search, _ in edit_blocks(before, after):
        assert ("\n" + before).count("\n" + search) == 1
        assert before.index(search) >= end
        end = before.index(search) + len(search)


BLOCKS = [
    pytest.param("a\n", "a\n", (), id="equal texts give no block"),
    pytest.param("", "a\nb\n", (("", "a\nb\n"),), id="an empty file is filled by an empty search"),
    pytest.param("a\nb\n", "", (("a\nb\n", ""),), id="a file is emptied by an empty replacement"),
    pytest.param("a\nb\nc\n", "a\nB\nc\n", (("b\n", "B\n"),), id="a unique line needs no context"),
    pytest.param("a\nb\nc\n", "a\nc\n", (("b\n", ""),), id="a deletion needs no context"),
    pytest.param("a\nb\n", "a\nx\nb\n", (("a\n", "a\nx\n"),), id="an insertion shows the line above"),
    pytest.param("a\n", "x\na\n", (("a\n", "x\na\n"),), id="an insertion at the top shows the line below"),
    pytest.param("a\nx\nb\nx\n", "a\nx\nb\ny\n", (("b\nx\n", "b\ny\n"),), id="a repeated line gets one line above"),
    pytest.param("xfoo\nfoo\n", "xfoo\nbar\n", (("xfoo\nfoo\n", "xfoo\nbar\n"),), id="a part of a line is no place"),
    pytest.param("a\nb\nc\n", "A\nb\nC\n", (("a\n", "A\n"), ("c\n", "C\n")), id="distant changes are blocks apart"),
    pytest.param("x\nx\nx\n", "y\nx\ny\n", (("x\nx\nx\n", "y\nx\ny\n"),), id="changes that share context are joined"),
    pytest.param("a\nb", "a\nc", (("a\nb\n", "a\nc\n"),), id="an end without newline shows the line above"),
    pytest.param("a\nb", "a\nb\n", (("a\nb\n", f"a\nb\n{NEWLINE}\n"),), id="a newline that is added is said"),
    pytest.param("a\nb\n", "a\nb", (("a\nb\n", f"a\nb\n{NO_NEWLINE}\n"),), id="a newline that is taken is said"),
]


@pytest.mark.parametrize("before, after, blocks", BLOCKS)
def test_blocks_are_minimal(before: str, after: str, blocks: tuple[tuple[str, str], ...]) -> None:
    assert edit_blocks(before, after) == blocks


MARKERS = [
    pytest.param("a\n", "b\n", 7, id="plain lines"),
    pytest.param("a\n==\n", "b\n==\n", 7, id="a short run is no marker"),
    pytest.param("a\n", "===\n", 8, id="a short separator"),
    pytest.param("a\n", "------- SEARCH\n", 8, id="a standard marker"),
    pytest.param(f"{'>' * 11} REPLACE\n", "b\n", 12, id="a long marker"),
    pytest.param("=======\na\n", "=======\nb\n", 7, id="a marker in lines that no block holds"),
]


@pytest.mark.parametrize("before, after, run", MARKERS)
def test_markers_are_longer_than_any_in_the_texts(before: str, after: str, run: int) -> None:
    lines = diff_of(before, after).split("\n")

    assert lines[0] == "-" * run + " SEARCH"
    assert "=" * run in lines
    assert lines[-2] == "+" * run + " REPLACE"


def test_equal_texts_give_an_empty_diff() -> None:
    assert not diff_of("a\nb", "a\nb")


def test_many_changes_in_a_large_file_are_as_many_small_blocks() -> None:
    rows = [f"value_{at} = {at % 7}" for at in range(20_000)]
    before, after = (
        "\n".join(rows) + "\n",
        "\n".join([row + "!" if not at % 100 else row for at, row in enumerate(rows)]),
    )

    blocks = edit_blocks(before, after + "\n")

    assert len(blocks) == 200
    assert all(search.count("\n") == 1 for search, _ in blocks)
