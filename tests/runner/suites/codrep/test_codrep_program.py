"""The lexer, and a program as arrays: what is a token, what kind of word, which line."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.suites.codrep.ranker.lexer import TOKEN, WordKind, kind_of, subwords
from runner.suites.codrep.ranker.neighbours import first_words, last_words, neighbours
from runner.suites.codrep.ranker.program import LONGEST, lex, spell, tokens_of


@pytest.mark.parametrize(
    "line, tokens",
    [
        pytest.param("int x=a[1];", ["int", "x", "=", "a", "[", "1", "]", ";"], id="a statement"),
        pytest.param("a&&b!=c->d", ["a", "&&", "b", "!=", "c", "->", "d"], id="operators of two characters"),
        pytest.param('f("a \\" b")', ["f", "(", '"a \\" b"', ")"], id="an escaped quotation mark"),
        pytest.param("c = '\\n';", ["c", "=", "'\\n'", ";"], id="a character"),
        pytest.param("don't", ["don", "'", "t"], id="an apostrophe is no character"),
        pytest.param('say("open', ["say", "(", '"', "open"], id="a string that is not closed"),
        pytest.param("0x1F 1.5f", ["0x1F", "1.5f"], id="numbers"),
        pytest.param("$a _b été", ["$a", "_b", "é", "té"], id="names"),
        pytest.param("/* a */ // b", ["/*", "a", "*/", "//", "b"], id="marks of comments"),
    ],
)
def test_a_line_is_parted_into_tokens(line: str, tokens: list[str]) -> None:
    assert TOKEN.findall(line) == tokens


@pytest.mark.parametrize(
    "word, kind",
    [
        pytest.param("count", WordKind.NAME, id="a name"),
        pytest.param("_count", WordKind.NAME, id="a name with an underscore"),
        pytest.param("Count", WordKind.TYPE, id="a type"),
        pytest.param("MAX_COUNT", WordKind.CONSTANT, id="a constant"),
        pytest.param("T", WordKind.TYPE, id="a type of one letter"),
        pytest.param("return", WordKind.KEYWORD, id="a keyword"),
        pytest.param("int", WordKind.PRIMITIVE, id="a primitive type"),
        pytest.param("42L", WordKind.NUMBER, id="a number"),
        pytest.param('"text"', WordKind.STRING, id="a string"),
        pytest.param("'c'", WordKind.STRING, id="a character"),
        pytest.param('"', WordKind.PUNCTUATION, id="a lone quotation mark"),
        pytest.param("&&", WordKind.PUNCTUATION, id="an operator"),
        pytest.param("\n", WordKind.NEWLINE, id="the end of a line"),
    ],
)
def test_a_word_has_a_kind(word: str, kind: WordKind) -> None:
    assert kind_of(word) is kind


def test_a_name_has_subwords() -> None:
    assert subwords("parseXMLFile2_nowPlease") == ("parse", "xml", "file", "2", "now", "please")


@given(st.lists(st.text(), min_size=1, max_size=8))
def test_every_token_belongs_to_the_line_it_stands_in(lines: list[str]) -> None:
    cleaned = [line.replace("\n", " ") for line in lines]
    program = lex(cleaned[0], cleaned[1:])

    assert len(program.start) == len(cleaned) + 1
    for number, line in enumerate(cleaned):
        assert program.words_of(number) == TOKEN.findall(line.strip())
    assert np.array_equal(np.diff(program.start), program.sizes)


def test_of_a_very_long_line_the_beginning_is_compared() -> None:
    program = lex("a", ["b" * LONGEST, "b" * LONGEST + "c", "  " + "b" * LONGEST])

    assert program.text_of.tolist() == [0, 1, 1, 1]
    assert program.raw[2].endswith("c")


def test_equal_lines_share_a_text() -> None:
    program = lex("b", ["a", "  b ", "", "a"])

    assert program.text_of.tolist() == [0, 1, 0, 2, 1]
    assert program.texts == ("b", "a", "")


def test_lines_can_be_spelled_with_a_character_a_word() -> None:
    program = lex("x = y;", ["x = x;", "", "y"])

    spelled = spell(program, np.arange(len(program.words)))

    assert [len(line) for line in spelled] == [4, 4, 0, 1]
    assert spelled[0][2] == spelled[3]
    assert spelled[0][:2] == spelled[1][:2]


def test_the_tokens_of_some_lines_come_line_by_line() -> None:
    program = lex("n", ["a b", "", "c d e"])

    rows, places = tokens_of(program, np.array([3, 2, 1]))

    assert rows.tolist() == [0, 0, 0, 2, 2]
    assert [program.words[word] for word in program.tokens[places]] == ["c", "d", "e", "a", "b"]


def test_neighbours_are_the_nearest_lines_with_words() -> None:
    program = lex("n", ["", "a", "", "b", "c"])

    before, after = neighbours(program, np.array([2, 4, 5]))

    assert (before.tolist(), after.tolist()) == ([0, 2, 4], [4, 5, 0])
    assert neighbours(program, np.array([5]), steps=2)[0].tolist() == [2]


def test_the_words_at_the_edges_of_lines() -> None:
    program = lex("n", ["if (a) {", "", "}"])
    lines = np.array([0, 1, 2, 3])

    assert [program.words[word] for word in first_words(program, lines)] == ["\n", "if", "\n", "}"]
    assert [program.words[word] for word in last_words(program, lines)] == ["n", "{", "\n", "}"]
