"""A random prefix moves measures of texts and leaves measures of edits where they are."""

import pytest

from runner.metrics import METRICS
from runner.metrics.labelled_answers import LabelledAnswer, Problem, answer
from runner.study.perturb import with_prefix

PROBLEM = Problem("p", "python", "def f(a):\n    return a\n", ("def f(a, b):\n    return a + b\n",), None)
ANSWERS = [
    answer(PROBLEM, text, model="m", passed=False)
    for text in (
        "def f(a, b):\n    return a\n",
        "def g(a):\n  return a\n",
        "import x\ndef f(a):\n    return a\n",
        "def f(:",
        "",
    )
]


def scores(name: str, answers: list[LabelledAnswer]) -> list[float]:
    return [METRICS[name](one.sample) for one in answers]


def test_a_prefix_is_two_to_three_thousand_characters_of_eight_kinds_and_ends_a_line() -> None:
    texts = [one.sample.preamble for one in with_prefix(ANSWERS * 20, seed=0)]

    assert all(2_000 <= len(text) <= 3_000 for text in texts)
    assert all(set(text) == set("abcdef \n") and text.endswith("\n") for text in texts)
    assert len(set(texts)) == len(texts)


def test_a_seed_fixes_the_prefixes() -> None:
    assert list(with_prefix(ANSWERS, seed=1)) == list(with_prefix(ANSWERS, seed=1))
    assert list(with_prefix(ANSWERS, seed=1)) != list(with_prefix(ANSWERS, seed=2))


@pytest.mark.parametrize("name", ["es-token", "es-line", "es-text", "sans-lcs", "diffbleu", "exact", "ed"])
def test_measures_of_edits_do_not_see_it(name: str) -> None:
    assert scores(name, list(with_prefix(ANSWERS, seed=0))) == pytest.approx(scores(name, ANSWERS), abs=1e-12)


@pytest.mark.parametrize("name", ["nes", "bleu", "chrf"])
def test_measures_of_texts_rise_with_it(name: str) -> None:
    before, after = scores(name, ANSWERS), scores(name, list(with_prefix(ANSWERS, seed=0)))

    assert all(high > low for low, high in zip(before, after, strict=True))
    assert min(after) > 0.9
