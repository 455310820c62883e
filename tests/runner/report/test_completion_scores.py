"""What a completion run shows: chains beside each other on the same answers, and whose figures are unknown."""

import pytest

from runner.report.summary import summarize
from runner.stats.flips import Flips
from runner.stats.intervals import Interval
from runner.storage.runs import find_run
from runner.storage.store import Store
from runner.suites.completion.completion_figures import figures_of
from runner.suites.completion.rates import ALL
from runner.suites.completion.report import with_figures
from runner.suites.completion.stopping import Groups
from tests.runner.made_runs import make_run, plan
from tests.runner.suites.completion.test_scores import answered

RAW, REPAIRED = ("sim/a", "basic", "raw"), ("sim/a", "basic", "repaired")


def grouped(raw: dict[int, float | None], repaired: dict[int, float | None]) -> Groups:
    """The answers of one model by two chains: whether they pass, by the answers' ids; None is no verdict."""
    return {
        key: {answer: answered(f"task {answer}", passes) for answer, passes in passed.items()}
        for key, passed in ((RAW, raw), (REPAIRED, repaired))
    }


def test_chains_are_compared_on_the_answers_that_both_have_a_verdict_of() -> None:
    groups = grouped({1: 1, 2: 0, 3: 0, 4: None, 5: 0}, {1: 1, 2: 1, 3: 0, 4: 1, 6: 1, 5: None})

    (found,) = figures_of(groups).stopping

    assert (found.sut, found.prompt, found.first, found.second) == ("sim/a", "basic", "raw", "repaired")
    assert found.table == Flips(both=1, first_only=0, second_only=1, neither=1)


@pytest.mark.parametrize(
    "files,test",
    [
        pytest.param(6, ("McNemar", 2 / 2**6), id="tasks of six files"),
        pytest.param(2, ("sign flips", 2 / 2**2), id="tasks of two files, which are two draws"),
    ],
)
def test_chains_are_tested_by_file(files: int, test: tuple[str, float]) -> None:
    groups = {
        key: {task: answered(f"task {task}", passes, file=f"file {task % files}") for task in range(6)}
        for key, passes in ((RAW, 0), (REPAIRED, 1))
    }

    (found,) = figures_of(groups).stopping

    assert (found.test, found.p_value) == test


def test_each_model_has_a_first_chain_of_its_own() -> None:
    groups = {**grouped({1: 0}, {1: 1}), ("sim/b", "basic", "repaired"): {2: answered("task 1", 1)}}

    found = figures_of(groups)

    assert [(one.sut, one.second) for one in found.stopping] == [("sim/a", "repaired")]
    assert [(one.sut, one.chain) for one in found.chains] == [
        ("sim/a", "raw"),
        ("sim/a", "repaired"),
        ("sim/b", "repaired"),
    ]


def test_a_page_shows_scenes_as_wholes_and_blocks_over_all_scenes_and_data_has_every_one() -> None:
    groups = {RAW: {1: answered("a", 1), 2: answered("b", 0, block="FOR"), 3: answered("c", None, block="COMMENT")}}

    found = figures_of(groups)

    assert [row[3:5] for row in found.tables[0].rows] == [
        ("1.1", "COMMENT"), ("1.1", ALL), (ALL, "FOR"), (ALL, "IF"), (ALL, ALL),
    ]  # fmt: skip
    assert len(found.data["figures"]) == 7


def test_what_a_single_file_has_may_be_anything_elsewhere(store: Store) -> None:
    make_run(store, planned=plan(suite="completion"))
    summary = summarize(store, find_run(store, "latest"))
    ((one,),) = (summary.variants,)
    groups = {(one.sut, one.prompt, one.parser): {1: answered("a", 1), 2: answered("b", 0)}}

    (found,) = with_figures(summary, figures_of(groups)).variants

    assert found.right == Interval(0.5, 0.0, 1.0)
    assert found.scores["pass"] == found.right
    assert found.scores["similarity"] == Interval(50.0, 0.0, 100.0)


def test_a_chain_without_an_answer_has_no_rate(store: Store) -> None:
    make_run(store, planned=plan(suite="completion"))
    summary = summarize(store, find_run(store, "latest"))

    (found,) = with_figures(summary, figures_of({})).variants

    assert (found.right, found.scores) == (None, {})
