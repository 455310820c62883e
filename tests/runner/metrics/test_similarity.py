"""The rivals of the Excision Score, by their published definitions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.metrics import Sample, TooLargeError, similarity
from runner.metrics.delta import delta_chrf

lines = st.lists(st.sampled_from(["a", "b", "", "-c"]), max_size=6).map("\n".join)


def of(hypothesis: str, *references: str, origin: str = "", language: str | None = None) -> Sample:
    return Sample(origin, references, hypothesis, language)


def test_exact_looks_at_tokens_not_at_comments_or_blank_lines() -> None:
    assert similarity.exact(of("x=1  # one\n\n", "x = 1\n", language="python")) == 1
    assert similarity.exact(of("x = 2\n", "x = 3\n", "x = 2\n", language="python")) == 1
    assert similarity.exact(of("if x:\n  y\n", "if x:\n    y\n", language="python")) == 0
    assert similarity.exact(of("{\n  y; }", "{ y; }", language="java")) == 1


def test_edit_distance_counts_characters_downwards_from_zero() -> None:
    assert similarity.edit_distance(of("kitten", "sitting")) == -3
    assert similarity.edit_distance(of("kitten", "sitting", "mitten")) == -1
    assert str(similarity.edit_distance(of("same", "same"))) == "0.0"


def test_texts_too_long_to_compare_are_refused_at_once() -> None:
    with pytest.raises(TooLargeError, match="300000 and 300001 characters between"):
        similarity.edit_similarity(of("same" + "a" * 300_001, "same" + "b" * 300_000))
    assert similarity.edit_distance(of("a" * 900_000 + "b", "a" * 900_000)) == -1


def test_edit_similarity_is_relative_to_the_longer_text() -> None:
    assert similarity.edit_similarity(of("kitten", "sitting")) == pytest.approx(1 - 3 / 7)
    assert similarity.edit_similarity(of("", "")) == 1
    assert similarity.edit_similarity(of("", "a", "")) == 1


def test_bleu_and_chrf_of_a_text_with_itself_are_one() -> None:
    for measure in (similarity.bleu, similarity.chrf):
        assert measure(of("a short text", "a short text")) == pytest.approx(1)
        assert measure(of("ab", "ab")) == pytest.approx(1)


def test_bleu_and_chrf_of_empty_texts_are_settled() -> None:
    for measure in (similarity.bleu, similarity.chrf):
        assert measure(of("", " \n")) == 1
        assert measure(of("", "a")) == 0
        assert measure(of("a", "")) == 0


def test_bleu_is_sacrebleus() -> None:
    assert similarity.bleu(of("the cat sat on mat", "the cat sat on the mat")) == pytest.approx(0.5789, abs=1e-4)


def test_chrf_is_sacrebleus() -> None:
    assert similarity.chrf(of("the cat sat", "the cat sits")) == pytest.approx(0.6103, abs=1e-4)


def test_changed_lines_are_the_body_of_a_diff_without_context() -> None:
    assert similarity.changed_lines("a\nb\nc\n", "a\nB\nC\nc\nd\n") == "-b\n+B\n+C\n+d"
    assert similarity.changed_lines("same\n", "same\n") == ""


@given(lines, lines)
def test_the_changed_lines_hold_exactly_what_goes_and_what_comes(before: str, after: str) -> None:
    changes = similarity.changed_lines(before, after).split("\n") if before != after else []
    gone = sorted(line[1:] for line in changes if line.startswith("-"))
    come = sorted(line[1:] for line in changes if line.startswith("+"))

    kept = len(before.split("\n")) - len(gone)
    assert len(after.split("\n")) - len(come) == kept
    assert sorted([*before.split("\n"), *come]) == sorted([*after.split("\n"), *gone])


def test_diffbleu_is_zero_where_only_one_side_changes_anything() -> None:
    assert similarity.diff_bleu(of("a\nb\n", "a\nc\n", origin="a\nb\n")) == 0
    assert similarity.diff_bleu(of("a\nc\n", "a\nb\n", origin="a\nb\n")) == 0
    assert similarity.diff_bleu(of("a\nb\n", "a\nb\n", origin="a\nb\n")) == 1
    assert similarity.diff_bleu(of("a\nc\n", "a\nc\n", origin="a\nb\n")) == pytest.approx(1)


@pytest.mark.parametrize(
    "origin, reference, hypothesis, expected",
    [
        pytest.param("abc", "abcXYZ", "abcXYZ", 1.0, id="the same addition"),
        pytest.param("abcXYZ", "abc", "abc", 1.0, id="the same deletion"),
        pytest.param("a b c", "abc", "abc", 1.0, id="blanks are ignored"),
        pytest.param("", "", "", 1.0, id="nothing at all"),
        # One of four changed characters is shared; orders 4 to 6 have no changes and count 1 each.
        pytest.param("a", "bcd", "efg", (1 / 4 + 0 + 0 + 3) / 6, id="only what goes is shared"),
    ],
)
def test_delta_chrf_compares_changes(origin: str, reference: str, hypothesis: str, expected: float) -> None:
    assert delta_chrf(Sample(origin, (reference,), hypothesis)) == pytest.approx(expected)


def test_delta_chrf_of_a_missed_edit_is_low() -> None:
    assert delta_chrf(of("hello world", "hello there", origin="hello world")) == 0
    assert 0 < delta_chrf(of("hello where", "hello there", origin="hello world")) < 1


@given(st.text("ab ", max_size=8), st.text("ab", max_size=8), st.text("ab", max_size=8))
def test_delta_chrf_lies_between_zero_and_one(origin: str, reference: str, hypothesis: str) -> None:
    assert 0 <= delta_chrf(Sample(origin, (reference,), hypothesis)) <= 1
