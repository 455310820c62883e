"""Similarities of the new line to all lines, each against a plain definition."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.suites.codrep.ranker.measures import measure, window
from runner.suites.codrep.ranker.occurrences import FAR, index_words
from runner.suites.codrep.ranker.program import lex
from runner.suites.codrep.ranker.similarities import formula, trigram
from runner.suites.codrep.ranker.trigrams import trigram_dice
from tests.codrep import task_of

ASCII = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=12)


def grams(text: str) -> Counter[str]:
    return Counter("".join(three) for three in zip(text, text[1:], text[2:], strict=False))


@given(ASCII, st.lists(ASCII, min_size=1, max_size=6))
def test_trigram_dice_is_that_of_multisets(new: str, lines: list[str]) -> None:
    program = lex(new, lines)

    for text, found in zip(program.texts, trigram_dice(program), strict=True):
        wanted, given_ = grams(new), grams(text)
        total = wanted.total() + given_.total()
        expected = 2 * (wanted & given_).total() / total if total and wanted else 0
        assert found == pytest.approx(expected)


def measured(name: str, new: str, *lines: str) -> list[float]:
    return [round(float(value), 4) for value in measure(lex(new, lines)).by_name[name][1:]]


@pytest.mark.parametrize(
    "name, lines, values",
    [
        pytest.param("indel", ("abcd", "abxd", ""), [1.0, 0.75, 0.0], id="characters"),
        pytest.param("prefix", ("abcd", "abcx", "abcdefgh"), [1.0, 0.75, 0.5], id="common beginning"),
        pytest.param("suffix", ("abcd", "xbcd", "d"), [1.0, 0.75, 0.25], id="common end"),
        pytest.param("cover", ("abcd", "abxd", "abcabcd"), [1.0, 0.75, 0.5714], id="beginning and end"),
        pytest.param("length_ratio", ("abcd", "ab", ""), [1.0, 0.5, 0.0], id="lengths"),
        pytest.param("same_first", ("abcd", "abcd x", "x"), [1.0, 1.0, 0.0], id="first words"),
        pytest.param("same_last", ("abcd", "abcd x", ""), [1.0, 0.0, 0.0], id="last words"),
    ],
)
def test_texts_are_compared_character_by_character(name: str, lines: tuple[str, ...], values: list[float]) -> None:
    assert measured(name, "abcd", *lines) == values


@pytest.mark.parametrize(
    "name, lines, values",
    [
        pytest.param("word_dice", ("b = a(a);", "f(a);", "x"), [0.8571, 0.8333, 0.0], id="bags of words"),
        pytest.param("word_indel", ("a = b(a);", "b = a(a);"), [1.0, 0.7143], id="sequences of words"),
        pytest.param("shape", ("c = d(e);", "C = d(1);"), [1.0, 0.7143], id="sequences of kinds"),
        pytest.param("parens", ("f(a);", "f(a,", ");"), [0.0, 1.0, -1.0], id="brackets that stay open"),
    ],
)
def test_lines_are_compared_word_by_word(name: str, lines: tuple[str, ...], values: list[float]) -> None:
    new = "f(a) = a;" if name == "word_dice" else "a = b(a);"

    assert measured(name, new, *lines) == values


def test_rare_words_weigh_more() -> None:
    rare, common = measured("rare_cover", "seldom often", "seldom", "often", "often", "often", "x")[:2]

    assert rare > common > 0


def test_subwords_count_where_words_differ() -> None:
    covered = measured("subword_cover", "getUserName()", "setUserName()", "setName()", "x")

    assert covered[0] > covered[1] > covered[2] == 0


def test_a_new_line_without_words_is_measured_too() -> None:
    measures = measure(lex("", ["a", ""]))

    assert all(np.isfinite(values).all() for values in measures.by_name.values())


@given(st.lists(st.text(max_size=20).map(lambda text: text.replace("\n", "")), min_size=2, max_size=6))
def test_every_measure_of_any_text_is_a_number(lines: list[str]) -> None:
    measures = measure(lex(lines[0], lines[1:]))

    for name, values in measures.by_name.items():
        assert values.shape == (len(lines),), name
        assert np.isfinite(values).all(), name


def test_a_window_sums_what_is_near() -> None:
    assert window(np.array([1.0, 2, 4, 8]), 1).tolist() == [3, 7, 14, 12]


def test_words_are_found_before_and_after_a_line() -> None:
    program = lex("b", ["a", "b", "a b", "a"])
    occurrences = index_words(program)
    words = np.array([program.ids["a"], program.ids["b"], program.ids["b"]])

    before, after = occurrences.nearest(words, np.array([3, 1, 4]))

    assert (before.tolist(), after.tolist()) == ([2, FAR, 1], [1, 1, FAR])
    assert occurrences.count(words, np.array([2, 1, 4]), np.array([4, 4, 1])).tolist() == [2, 2, 0]


@pytest.mark.parametrize(
    "lines, line",
    [
        pytest.param(("int a;", "return a + c;", "return c"), 2, id="the most alike"),
        pytest.param(("return a + c;", "return a + c;"), 1, id="the first of equals"),
        pytest.param(("return a + b;", "", "x"), 3, id="never a blank line or the new line itself"),
        pytest.param(("", "return a + b;"), 1, id="line 1 where no line can be it"),
    ],
)
def test_the_most_similar_line_is_predicted(lines: tuple[str, ...], line: int) -> None:
    assert trigram(task_of("return a + b;", *lines)) == line


def test_the_formula_keeps_brackets_balanced() -> None:
    task = task_of("if (ready) {", "if (ready)", "if (steady) {")

    assert (trigram(task), formula(task)) == (1, 2)
