"""Lines and markers are those of the original programs, which are written in JavaScript."""

import pytest

from diff_apply.lines import Source, rows_of, trim
from diff_apply.markers import BRACKETED, EXACT, TOLERANT, Grammar, Mark, without_unfinished

TRIMMED = [
    pytest.param("\ufeffa\u00a0\u3000", "a", id="white space of JavaScript"),
    pytest.param("\x1ca\x1f\x85", "\x1ca\x1f\x85", id="white space of Python only"),
    pytest.param("\u2028\t a b \r\n", "a b", id="line ends"),
    pytest.param("\u200ba", "\u200ba", id="a zero-width space is none"),
]


@pytest.mark.parametrize("text, trimmed", TRIMMED)
def test_trim_knows_the_white_space_of_javascript(text: str, trimmed: str) -> None:
    assert trim(text) == trimmed


@pytest.mark.parametrize(
    "text, rows", [("", []), ("\n", [""]), ("a", ["a"]), ("a\nb\n", ["a", "b"]), ("a\u2028b\r\n", ["a\u2028b\r"])]
)
def test_rows_end_at_lf_alone(text: str, rows: list[str]) -> None:
    assert rows_of(text) == rows


def test_a_source_knows_its_rows_by_offset_and_line() -> None:
    source = Source("ab\n c\nd")

    assert source.trimmed == ["ab", "c", "d"]
    assert source.starts == [0, 3, 6, 8]
    assert [source.row_from(offset) for offset in (-1, 0, 1, 3, 4, 9)] == [0, 0, 1, 1, 2, 4]
    assert [source.line_at(offset) for offset in (0, 2, 3, 6)] == [1, 1, 2, 3]
    assert source.positions == {"ab": [0], "c": [1], "d": [2]}


@pytest.mark.parametrize("text, fenced", [("a\nb", "\na\nb\n"), ("a\n", "\na\n"), ("", "\n")])
def test_a_fenced_text_has_an_lf_around_every_line(text: str, fenced: str) -> None:
    assert Source(text).fenced == fenced


SECTIONS = [
    pytest.param("a\n--- SEARCH\nb\n===\nc", [(None, "a\n"), (Mark.START, "b\n"), (Mark.SEPARATOR, "c\n")], id="text"),
    pytest.param("--- SEARCH", [(None, ""), (Mark.START, "")], id="a marker at the end"),
    pytest.param("+++ REPLACE\n", [(None, ""), (Mark.END, "\n")], id="a blank last line"),
    pytest.param("", [(None, "\n")], id="nothing is one blank line"),
    pytest.param("===\r\n", [(None, "===\r\n\n")], id="a CR spoils a marker"),
]


@pytest.mark.parametrize("diff, sections", SECTIONS)
def test_sections_are_the_lines_after_each_marker(diff: str, sections: list[tuple[Mark | None, str]]) -> None:
    assert list(TOLERANT.sections(diff)) == sections


UNFINISHED = [
    pytest.param("a\n+++++++ REPL", "-=+", EXACT, "a", id="half a marker"),
    pytest.param("a\n+++++++ REPLACE", "-=+", EXACT, "a\n+++++++ REPLACE", id="a whole one"),
    pytest.param("a\n+++ REPLACE>", "-=+", EXACT, "a", id="one unknown to the version"),
    pytest.param("a\n+++ REPLACE>", "-=+", BRACKETED, "a\n+++ REPLACE>", id="one known to the version"),
    pytest.param("a\n<b>", "-=+", EXACT, "a\n<b>", id="no marker begins so"),
    pytest.param("a\n<b>", "-<=+>", BRACKETED, "a", id="a marker begins so"),
    pytest.param("- item", "-=+", EXACT, "", id="the only line"),
    pytest.param("- item\n", "-=+", EXACT, "- item\n", id="a line that ends"),
]


@pytest.mark.parametrize("diff, starts, known, expected", UNFINISHED)
def test_a_last_line_that_may_become_a_marker_is_dropped(diff: str, starts: str, known: Grammar, expected: str) -> None:
    assert without_unfinished(diff, starts, known) == expected
