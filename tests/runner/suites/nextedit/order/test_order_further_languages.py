"""The rules of the order in Go, Java, TypeScript and JavaScript, by the labels of two passes."""

from pathlib import Path

import pytest

from runner.suites.nextedit.order.labels import Agreement
from tests.bench.bench_order_languages import table_row
from tests.labelled_languages import LANGUAGES, figures, kappa, labelled_in

PAGE = Path(__file__).parents[5] / "docs" / "order-labels.md"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_twenty_commits_of_three_to_nine_edits(language: str) -> None:
    sizes = [len(each.commit.edits) for each in labelled_in(language)]

    assert len(sizes) == 20
    assert all(3 <= size <= 9 for size in sizes)


@pytest.mark.parametrize("language", LANGUAGES)
def test_labels_name_edits_that_are_there(language: str) -> None:
    for each in labelled_in(language):
        for first, second in each.first | each.second:
            assert 0 <= first < second < len(each.commit.edits), each.name


@pytest.mark.parametrize("language, name", LANGUAGES.items())
def test_the_published_figures_are_those_of_the_rules(language: str, name: str) -> None:
    assert table_row(name, figures(labelled_in(language))) in PAGE.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_agree_with_either_pass(language: str) -> None:
    shown = figures(labelled_in(language))

    assert min(shown.first.f1, shown.second.f1) > 0.8


@pytest.mark.parametrize(
    "passes, expected",
    [
        pytest.param(Agreement(hits=5, rejected=5), 1.0, id="the-same"),
        pytest.param(Agreement(hits=1, false=1, missed=1, rejected=1), 0.0, id="by-chance"),
        pytest.param(Agreement(hits=20, false=5, missed=10, rejected=15), 0.4, id="in-part"),
    ],
)
def test_kappa_is_agreement_beyond_chance(passes: Agreement, expected: float) -> None:
    assert kappa(passes) == pytest.approx(expected)
