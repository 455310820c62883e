"""SARI's dialects give the numbers that were published with them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.metrics import METRICS, Sample
from runner.metrics.sari import BY_TYPES, HF, XU, sari, sari_by_types, split_hf, split_xu

ORIGIN = "About 95 species are currently accepted ."
REFERENCES = (
    "About 95 species are currently known .",
    "About 95 species are now accepted .",
    "95 species are now accepted .",
)
text = st.lists(st.sampled_from("abc"), max_size=6)


@pytest.mark.parametrize(
    "hypothesis, expected",
    [
        pytest.param("About 95 you now get in .", 0.2682782411698074, id="bad"),
        pytest.param("About 95 species are now agreed .", 0.5889995423074248, id="good"),
        pytest.param("About 95 species are currently agreed .", 0.5071608864657479, id="between"),
    ],
)
def test_the_published_example_of_the_script_is_reproduced(hypothesis: str, expected: float) -> None:
    assert METRICS["sari-xu"](Sample(ORIGIN, REFERENCES, hypothesis)) == pytest.approx(expected, abs=1e-12)


def test_the_published_example_of_hugging_face_is_reproduced() -> None:
    sample = Sample(ORIGIN, REFERENCES, "About 95 you now get in .")

    assert METRICS["sari-hf"](sample) == pytest.approx(0.26953601953601954, abs=1e-12)


def test_the_dialects_split_texts_as_their_originals_do() -> None:
    assert split_xu("A  b.") == ["a", "", "b."]
    assert split_xu("") == [""]
    assert split_hf("A  b.") == ["a", "b", "."]


@given(text, text)
def test_a_perfect_edit_is_one_where_nothing_to_count_does_not_count(o: list[str], a: list[str]) -> None:
    assert sari(o, [a], a).score == 1


@given(text, text, text)
def test_scores_lie_between_zero_and_one(o: list[str], a: list[str], b: list[str]) -> None:
    for dialect in (XU, HF, BY_TYPES):
        assert 0 <= sari_by_types(o, [a, b], b, dialect) <= 1
    assert 0 <= sari(o, [a], b).score <= 1


def test_good_deletions_of_repeated_tokens_are_counted_differently() -> None:
    origin, reference, hypothesis = list("aaa"), list("a"), list("a")

    assert sari_by_types(origin, [reference], hypothesis, XU) < sari_by_types(origin, [reference], hypothesis, BY_TYPES)


def test_doing_nothing_is_worth_a_third_to_hugging_face() -> None:
    # Deleting nothing has precision 1 there: the reason why ES leaves empty cells out.
    assert METRICS["sari-hf"](Sample("a b", ("c d",), "a b")) >= 1 / 3


def test_sari_of_code_counts_syntax_tokens_without_layout() -> None:
    sample = Sample("def f():\n    g(a)\n", ("def f():\n    g(b)  # why\n",), "def f():\n  g(b)\n", "python")

    assert METRICS["sari"](sample) == 1
