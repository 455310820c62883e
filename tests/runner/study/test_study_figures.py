"""The study reproduces the correlations recorded for two sets of labelled answers.

The sets belong to others and are not shipped: the folder that holds `humanevalfix_py/` and `canitedit/` is
`$EVALS_DATA/excision`, or `excision` in a `data` folder beside the recorded vectors. Without it the tests skip.
"""

import os
import sys
from pathlib import Path

import pytest

from runner.metrics import METRICS, metrics_named
from runner.metrics.labelled_answers import read_answers
from runner.study.analysis import Study, analyse
from runner.study.perturb import with_prefix
from runner.study.scores import score_answers

pytestmark = pytest.mark.conformance

UNTUNED = "-(baseline|base)$"
HUMANEVALFIX = {
    "exact": 0.775,
    "nes": 0.167,
    "chrf": 0.182,
    "bleu": 0.199,
    "diffbleu": 0.819,
    "sari": 0.813,
    "es-line": 0.868,
    "es-token": 0.869,
}


def data(name: str) -> Path:
    root = Path(os.environ.get("EVALS_DATA") or Path(__file__).parents[3] / "../shared/data")
    folder = root / "excision" / name
    if not folder.is_dir():
        pytest.skip(f"no labelled answers in {folder}: set EVALS_DATA to the folder that holds excision/{name}/")
    return folder


def study(name: str, models: str, *metrics: str) -> Study:
    answers = read_answers(data(name), models)
    scores = score_answers(answers, metrics_named(metrics))
    return analyse(answers, scores, against=metrics[0], draws=200, seed=0)


def r(found: Study, metric: str, subset: str = "all") -> float:
    correlation = found.measures[metric].subsets[subset].r
    assert correlation is not None
    return correlation.estimate


@pytest.mark.wide
def test_the_untuned_models_of_humanevalfix_correlate_as_recorded(capsys: pytest.CaptureFixture[str]) -> None:
    found = study("humanevalfix_py", UNTUNED, *HUMANEVALFIX)

    close = {name: abs(r(found, name) - expected) <= 0.01 for name, expected in HUMANEVALFIX.items()}
    with capsys.disabled():
        sys.stdout.write(f"\nstudy of 2,952 answers: {sum(close.values())} of {len(close)} correlations agree\n")
    assert found.rows == {
        "all": 2952,
        "without_exact": 2580,
        "without_nothing": 1217,
        "real_edits": 845,
        "without_exact_by_token": 2549,
        "without_nothing_by_token": 1182,
        "real_edits_by_token": 779,
    }
    assert all(close.values()), close
    assert r(found, "es-token", "real_edits") == pytest.approx(0.58, abs=0.01)
    assert r(found, "sari", "real_edits") == pytest.approx(0.57, abs=0.01)


@pytest.mark.wide
def test_all_models_of_humanevalfix_correlate_as_recorded() -> None:
    found = study("humanevalfix_py", "", "es-token")

    assert found.rows["all"] == 16728
    assert r(found, "es-token") == pytest.approx(0.852, abs=0.01)


@pytest.mark.wide
def test_the_models_of_canitedit_correlate_as_recorded() -> None:
    found = study("canitedit", "", "es-line", "es-token")

    assert found.rows["all"] == 11340
    assert found.rows["real_edits"] == 8776
    assert r(found, "es-line") == pytest.approx(0.569, abs=0.01)
    assert r(found, "es-token") == pytest.approx(0.573, abs=0.01)


def test_doing_nothing_scores_zero_and_a_prefix_changes_no_excision_score() -> None:
    answers = read_answers(data("humanevalfix_py"), "^starcoder2-15b-baseline$")

    assert answers
    for name in ("es-token", "es-line", "sans-lcs"):
        for plain, perturbed in zip(answers, with_prefix(answers, seed=0), strict=True):
            score = METRICS[name](plain.sample)
            assert METRICS[name](perturbed.sample) == pytest.approx(score, abs=1e-12)
            assert score == 0 or not plain.nothing
