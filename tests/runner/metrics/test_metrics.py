"""The registry: every metric can be called, is perfect for the asked-for edit, and is refused under another name."""

import subprocess
import sys

import pytest

from runner.errors import InputError
from runner.metrics import DEFAULT_METRICS, METRICS, Sample, TooLargeError, metrics_named, score_edit

ORIGIN = "def add(a, b):\n    return a - b\n"
REFERENCE = "def add(a, b):\n    return a + b\n"
OTHER = "def add(a, b):\n    return a * b\n"
NAMES = [
    *("es-token", "es-line", "es-text", "sari", "sari-xu", "sari-hf", "sans-lcs"),
    *("bleu", "chrf", "diffbleu", "nes", "ed", "exact", "delta-chrf"),
]
PERFECT = {"ed": 0.0}


def test_the_names_are_those_that_are_documented() -> None:
    assert list(METRICS) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_edit_that_was_asked_for_is_perfect(name: str) -> None:
    score = METRICS[name](Sample(ORIGIN, (REFERENCE,), REFERENCE, "python"))

    assert score == pytest.approx(PERFECT.get(name, 1.0))


@pytest.mark.parametrize("name", NAMES)
def test_another_edit_is_worse(name: str) -> None:
    measure = METRICS[name]

    assert measure(Sample(ORIGIN, (REFERENCE,), OTHER, "python")) < measure(
        Sample(ORIGIN, (REFERENCE,), REFERENCE, "python")
    )


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("sari")])
def test_the_best_of_several_references_counts_but_to_sari(name: str) -> None:
    measure = METRICS[name]

    both = measure(Sample(ORIGIN, (REFERENCE, OTHER), OTHER, "python"))

    assert both == pytest.approx(max(PERFECT.get(name, 1.0), measure(Sample(ORIGIN, (REFERENCE,), OTHER, "python"))))


@pytest.mark.parametrize("name", ["es-token", "es-line", "es-text", "sans-lcs", "diffbleu", "delta-chrf", "exact"])
def test_doing_nothing_is_worth_nothing_to_measures_of_edits(name: str) -> None:
    assert METRICS[name](Sample(ORIGIN, (REFERENCE,), ORIGIN, "python")) == 0


@pytest.mark.parametrize("name", ["bleu", "chrf", "nes", "sari-hf"])
def test_doing_nothing_is_worth_much_to_the_others(name: str) -> None:
    assert METRICS[name](Sample(ORIGIN, (REFERENCE,), ORIGIN, "python")) > 0.3


def test_metrics_come_in_the_order_they_are_named() -> None:
    assert list(metrics_named(["nes", "es-line"])) == ["nes", "es-line"]


def test_an_unknown_metric_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"no metric is called 'rouge': choose from es-token, es-line, "):
        metrics_named(["nes", "rouge"])


def test_an_edit_is_scored_by_the_default_metrics() -> None:
    scores = score_edit(ORIGIN, [REFERENCE], OTHER, "python")

    assert list(scores) == list(DEFAULT_METRICS)
    assert all(0 < score < 1 for score in scores.values())


def test_an_edit_too_large_to_align_has_no_score_instead_of_a_wrong_one() -> None:
    origin, reference, hypothesis = (f"{letter}\n" * 40_000 for letter in "orh")

    with pytest.raises(TooLargeError):
        METRICS["es-line"](Sample(origin, (reference,), hypothesis))
    assert score_edit(origin, [reference], hypothesis) == {}


def test_a_sample_without_references_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one reference"):
        Sample("a", (), "b")


def test_importing_the_metrics_does_not_import_their_libraries() -> None:
    code = "import sys, runner.metrics; print({'sacrebleu', 'rapidfuzz', 'tree_sitter', 'numpy'} & set(sys.modules))"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout.strip() == b"set()"
