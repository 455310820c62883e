import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.metrics.smooth_bleu import smooth_bleu, tokenize


@pytest.mark.parametrize(
    "text, tokens",
    [
        pytest.param("", [], id="empty"),
        pytest.param("foo_bar(x, 1.5)", ["foo", "_", "bar", "(", "x", ",", "1", ".", "5", ")"], id="code"),
        pytest.param("  A\n\tb ", ["a", "b"], id="case-and-blanks-do-not-count"),
        pytest.param("größe", ["größe"], id="letters-of-any-script"),
    ],
)
def test_tokens_are_words_and_single_characters(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


@pytest.mark.parametrize(
    "candidate, reference, score",
    [
        pytest.param("", "", 100.0, id="deletion-that-is-right"),
        pytest.param("x", "", 0.0, id="something-instead-of-a-deletion"),
        pytest.param("", "x", 36.7879, id="nothing-instead-of-a-token"),
        pytest.param("x", "x", 100.0, id="one-token"),
        pytest.param("x=1", "y=2", 48.5492, id="short-texts-score-high"),
        pytest.param("return self.name\n", "return self.title\n", 65.8037, id="one-name-differs"),
        pytest.param("x = foo(a, b)", "x = foo(a, c)", 74.7674, id="one-argument-differs"),
    ],
)
def test_scores_are_those_of_the_published_formula(candidate: str, reference: str, score: float) -> None:
    assert smooth_bleu(candidate, reference) == pytest.approx(score, abs=1e-4)


@given(st.text(max_size=60), st.text(max_size=60))
def test_scores_lie_between_0_and_100(one: str, two: str) -> None:
    assert 0 <= smooth_bleu(one, two) <= 100 + 1e-9
    assert smooth_bleu(one, one) == pytest.approx(100)
