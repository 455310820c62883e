"""What is computed case by case, without holding rows, equals to the last bit what all rows at once give."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import combinations

import pytest

from runner.report.case_figures import samples_of
from runner.report.comparisons import compare
from runner.report.pairs import compared_pair
from runner.report.summary import Edits, summarize
from runner.stats.paired import paired_difference
from runner.storage.runs import find_run
from runner.storage.store import Row, Store
from tests.runner.report.random_runs import SUTS, draw_replay, draw_run
from tests.runner.report.row_by_row import comparison, figures, pair_difference, samples

RUNS = 12


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with closing(Store.open(tmp_path_factory.mktemp("drawn") / "evals.db")) as store:
        for seed in range(RUNS):
            draw_run(store, seed, f"run-{seed}")
            draw_replay(store, seed, f"run-{seed}", f"replay-{seed}")
        yield store


def runs_of(store: Store) -> list[Row]:
    return [find_run(store, f"run-{seed}") for seed in range(RUNS)]


@pytest.mark.parametrize("edits", [None, "1", "3+"])
def test_a_summary_has_the_figures_of_all_rows_at_once(drawn: Store, edits: Edits | None) -> None:
    for run in runs_of(drawn):
        expected = figures(drawn, run, edits)

        summaries = {variant.key: variant for variant in summarize(drawn, run, edits).variants}

        assert {key: {name: getattr(summaries[key], name) for name in expected[key]} for key in summaries} == expected


@pytest.mark.parametrize("metric", ["right", "applied", "valid", "gain", "first_edit_ms", "cost_usd"])
def test_comparisons_are_of_the_values_of_all_rows_at_once(drawn: Store, metric: str) -> None:
    compared = 0
    for run in runs_of(drawn):
        expected = samples(drawn, run, metric)

        shown = samples_of(drawn, [run], metric)

        for sample, of_rows in zip(shown, expected, strict=True):
            assert (sample.cases, sample.clusters) == (of_rows.cases, of_rows.clusters)
            values = {
                answer: (case, v) for case, pairs in sample.answers.items() for answer, v in zip(*pairs, strict=True)
            }
            assert values == of_rows.answers
        for first, second in combinations(range(len(expected)), 2):
            pair = compared_pair(shown[first], shown[second])
            cases, answers = pair_difference(expected[first], expected[second])
            if pair is not None and cases:
                clusters = [[difference] for difference in cases.values()]
                shares = shown[first].shares and shown[second].shares
                assert pair.difference == paired_difference(clusters, answers / len(cases), shares=shares)
                compared += 1
    assert (compared > 0) == (metric != "valid")


def test_a_replay_is_compared_as_by_all_rows_at_once(drawn: Store) -> None:
    flipped = 0
    for seed, run in enumerate(runs_of(drawn)):
        for shown in compare(drawn, run, f"replay-{seed}"):
            rules = (f"run-{seed}", shown.compared.baseline.name), (f"replay-{seed}", shown.compared.rule.name)
            expected = comparison(drawn, *rules, [shown.compared.sut] if shown.compared.sut else SUTS)

            assert (shown.table, shown.test) == (expected["table"], expected["test"])
            assert Counter((flip.sut, flip.case_id, flip.number) for flip in shown.flipped) == expected["flipped"]
            if expected["difference"]:
                assert shown.difference == expected["difference"].interval
            flipped += len(shown.flipped)
    assert flipped
