"""Figures over several repositories: planted rates are found, each weighs alike, and what is told of each."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import count

import pytest

from runner.report.summary import summarize
from runner.stats.intervals import rate_over_cases
from runner.stats.unlike_clusters import pooled_rate
from runner.storage.runs import find_run
from runner.storage.store import Store
from runner.suites.completion.completion_figures import figures_of
from runner.suites.completion.origin_table import KnownRepositories, RepositoryFacts
from runner.suites.completion.rates import ALL, ScoredAnswer
from runner.suites.completion.report import cluster, with_figures
from runner.suites.completion.repository_report import MEAN, POOLED, RepositoryFigures
from tests.runner.made_runs import make_run, plan
from tests.runner.suites.completion.test_scores import answered, whole

RAW = ("sim/a", "basic", "raw")
# Of so many tasks so many pass.
PLANTED = {"ada": (9, 10), "bob": (30, 60), "cid": (8, 40)}


def answers(planted: Mapping[str, tuple[int, int]], files: int = 5) -> list[ScoredAnswer]:
    """An answer to each task; those that pass are spread over the files."""
    return [
        replace(
            answered(f"{repo}/{task}", float(task < passed), file=f"{repo}/{task % files}.py"),
            repo=repo,
            hole=f"{repo}:{task}",
        )
        for repo, (passed, tasks) in planted.items()
        for task in range(tasks)
    ]


def over(planted: Mapping[str, tuple[int, int]]) -> RepositoryFigures:
    groups = {RAW: dict(zip(count(), answers(planted), strict=False))}
    facts = {repo: RepositoryFacts(licence="MIT", committed="2024-05-01") for repo in planted}
    found = figures_of(groups, known=KnownRepositories(facts)).repositories
    assert found is not None
    return found


def test_planted_rates_of_three_repositories_are_found_and_each_weighs_alike() -> None:
    rates = {rate.repository: rate for rate in over(PLANTED).rates}

    assert {name: rates[name].pass_at_1 for name in PLANTED} == pytest.approx({"ada": 0.9, "bob": 0.5, "cid": 0.2})
    assert {name: (rates[name].passed, rates[name].tasks) for name in PLANTED} == PLANTED
    assert rates[MEAN].pass_at_1 == pytest.approx((0.9 + 0.5 + 0.2) / 3)
    assert rates[POOLED].pass_at_1 == pytest.approx(47 / 110)
    for name in (*PLANTED, MEAN, POOLED):
        interval = rates[name].interval
        assert interval is not None
        assert 0 < interval.low < rates[name].pass_at_1 < interval.high < 1
        assert interval.estimate == pytest.approx(rates[name].pass_at_1)


def test_all_figures_are_of_repositories_alike() -> None:
    found = whole(answers(PLANTED))

    assert (found.over, found.tasks, found.passed) == ("these repositories", 110, 47)
    assert found.pass_at_k == pytest.approx({"1": 1.6 / 3})
    assert found.interval == next(rate.interval for rate in over(PLANTED).rates if rate.repository == MEAN)
    assert found.means["exact"] == pytest.approx(1.6 / 3)
    assert (found.means["similarity"], found.intervals["similarity"].estimate) == pytest.approx((50, 50))


def test_from_five_repositories_on_the_repository_is_the_unit() -> None:
    planted = {**PLANTED, "dan": (20, 30), "eve": (25, 90)}
    found = over(planted)
    rates = {rate.repository: rate.interval for rate in found.rates}
    own = [passed / tasks for passed, tasks in planted.values()]

    assert found.over == "repositories"
    assert rates[MEAN] == rate_over_cases(own, 230)
    pooled = pooled_rate([float(passed) for passed, _ in planted.values()], [tasks for _, tasks in planted.values()])
    assert pooled is not None
    of_tasks = rates[POOLED]
    assert of_tasks is not None
    assert (of_tasks.low, of_tasks.high) == pytest.approx((pooled.low, pooled.high))
    assert "of all repositories like these" in found.table.title


def test_one_repository_of_a_set_has_the_figures_of_a_set_of_its_own() -> None:
    joined, alone = (whole([replace(one, repo=repo) for one in answers({"ada": (30, 60)})]) for repo in ("ada", ""))

    assert joined == alone
    assert alone.over == "files"


def test_where_tasks_are_of_one_file_holes_are_the_units_and_a_single_hole_tells_nothing() -> None:
    one_file = answers({"ada": (3, 4), "bob": (1, 4)}, files=1)
    one_hole = [replace(answer, hole="same") for answer in one_file]

    assert whole(one_file).interval is not None
    assert whole(one_hole).interval is None


def test_numbers_without_bounds_have_an_interval_too() -> None:
    scored = [
        replace(answer, scores={**answer.scores, "ed": -float(at % 7)}) for at, answer in enumerate(answers(PLANTED))
    ]

    interval = whole(scored).intervals["ed"]

    assert interval.low < interval.estimate == whole(scored).means["ed"] < interval.high < 0


def test_the_table_has_licence_and_dates_and_notes_tell_what_licences_ask_for() -> None:
    found = over(PLANTED)
    others = {"bob": RepositoryFacts(), "cid": RepositoryFacts(licence="GPL-3.0-only")}
    mixed = replace(found, known=KnownRepositories({**found.known.facts, **others}))

    assert found.notes == ()
    assert [row[3:6] for row in found.table.rows] == [
        ("ada", "10", "10"),
        ("bob", "60", "60"),
        ("cid", "40", "40"),
        (MEAN, "110", "110"),
        (POOLED, "110", "110"),
    ]
    assert found.table.rows[0][-4:] == ("MIT", "2024-05-01", "-", "-")
    assert found.table.rows[-1][-4:] == ("",) * 4
    assert mixed.notes == (
        "licences: MIT (ada); unknown (bob); GPL-3.0-only (cid)",
        "not known to let their code be passed on among other code: bob (unknown), cid (GPL-3.0-only)",
    )


def test_the_summary_has_the_mean_of_repositories_and_what_is_wrong_is_the_rest(store: Store) -> None:
    make_run(store, planned=plan(suite="completion"))
    summary = summarize(store, find_run(store, "latest"))
    ((one,),) = (summary.variants,)
    figures = figures_of({(one.sut, one.prompt, one.parser): dict(enumerate(answers(PLANTED)))})

    (found,) = with_figures(summary, figures).variants

    assert found.right is not None
    assert found.wrong is not None
    assert found.right.estimate == pytest.approx(1.6 / 3)
    assert (found.wrong.estimate, found.wrong.low) == pytest.approx((1.4 / 3, 1 - found.right.high))
    assert figures.clusters == "file in these repositories alone, each weighs alike"


@pytest.mark.parametrize("repositories, expected", [(0, "file"), (4, "file"), (5, "repo")])
def test_comparisons_are_by_repository_where_there_are_enough(store: Store, repositories: int, expected: str) -> None:
    kept = {f"r{number}": {"licence": "MIT"} for number in range(repositories)}
    settings = {"repositories": kept} if kept else {}
    planned = plan(suite="completion")
    make_run(store, planned=replace(planned, settings={**planned.settings, **settings}))

    assert cluster(find_run(store, "latest")) == expected


def test_chains_are_tested_by_repository_where_there_are_enough() -> None:
    planted = {f"r{number}": (0, 2) for number in range(5)}
    raw, right = answers(planted), [replace(one, scores={**one.scores, "pass": 1.0}) for one in answers(planted)]

    (found,) = figures_of({RAW: dict(enumerate(raw)), (*RAW[:2], "repaired"): dict(enumerate(right))}).stopping

    assert found.p_value == pytest.approx(2 / 2**5)


def test_a_set_of_one_repository_has_no_table_of_several() -> None:
    figures = figures_of({RAW: {1: answered("a", 1)}})

    assert (figures.repositories, figures.notes, "repositories" in figures.data) == (None, (), False)
    assert (ALL, ALL) in {(one.scene, one.block_type) for one in figures.chains[0].figures}
