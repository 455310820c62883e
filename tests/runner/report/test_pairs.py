"""Variants paired by case: which are compared, by which test, and what follows."""

from dataclasses import replace

import pytest

from runner.document import Document
from runner.records import Outcome
from runner.report.case_figures import CaseFigures, VariantName, headline, samples_of
from runner.report.comparison_tables import comparison_data, comparison_notes, comparison_tables, ranks_of
from runner.report.pairs import Family, VariantPair, differ_by, every_pair, families
from runner.report.run_comparisons import run_comparisons
from runner.report.summary import summarize
from runner.report.tables import document
from runner.stats.flips import Flips, mcnemar
from runner.stats.paired_test import MCNEMAR, SIGN_FLIPS
from runner.storage.runs import CaseRow, find_run
from runner.storage.store import Store, Value
from tests.runner.made_runs import Made, make_run, plan, variant

GOOD, POOR = "test/good", "test/poor"
CASES = [f"c{number:02}" for number in range(20)]


def attempted(made: Made, sut: str, right: set[str], cases: list[str] | None = None, attempts: int = 1) -> None:
    """Attempts at all cases, right at some."""
    for case_id in CASES if cases is None else cases:
        for number in range(1, attempts + 1):
            answer_id = made.answer(made.lane(case_id, sut), number)
            made.scoring(answer_id, Outcome.APPLIED, equals_expected=case_id in right)


def two_models(store: Store, run_id: str = "r1", **options: object) -> Made:
    make_run(store, run_id, plan(cases=CASES, variants=[variant(GOOD), variant(POOR)], **options))  # type: ignore[arg-type]
    return Made(store, run_id)


def samples(store: Store, *run_ids: str, metric: str = "right", cluster: str = "") -> list[CaseFigures]:
    return samples_of(store, [find_run(store, run_id) for run_id in run_ids or ("r1",)], metric, cluster)


def only_pair(store: Store, by: str = "model", *run_ids: str, metric: str = "right", cluster: str = "") -> VariantPair:
    (family,) = families(samples(store, *run_ids, metric=metric, cluster=cluster), metric, [by])
    (pair,) = family.pairs
    return pair


def report_of(store: Store) -> Document:
    run = find_run(store, "r1")
    return document(summarize(store, run), run_comparisons(store, run))


def test_two_models_are_compared_on_their_common_cases(store: Store) -> None:
    made = two_models(store)
    attempted(made, GOOD, set(CASES))
    attempted(made, POOR, set(CASES[:5]), CASES[:18])

    pair = only_pair(store)

    assert (pair.first.model, pair.second.model, pair.difference.cases) == (GOOD, POOR, 18)
    assert pair.difference.interval.estimate == pytest.approx(13 / 18)
    assert pair.test == MCNEMAR
    assert pair.p_value == pytest.approx(2 / 2**13)
    assert pair.differs
    assert pair.table is None


def test_several_attempts_are_tested_by_the_signs_of_case_means(store: Store) -> None:
    made = two_models(store, quota=3)
    attempted(made, GOOD, set(CASES[:6]), attempts=3)
    attempted(made, POOR, set(), attempts=3)

    pair = only_pair(store)

    assert (pair.test, pair.attempts) == (SIGN_FLIPS, 3)
    assert pair.p_value == pytest.approx(2 / 2**6)


def test_answers_that_are_scored_twice_are_paired_by_answer_and_counted_as_flips(store: Store) -> None:
    make_run(store, planned=plan(cases=CASES, variants=[variant(), variant(algorithm="v1")]))
    made = Made(store)
    for number, case_id in enumerate(CASES):
        answer_id = made.answer(made.lane(case_id))
        made.scoring(answer_id, Outcome.APPLIED, equals_expected=number < 15)
        made.scoring(answer_id, Outcome.APPLIED, diff_algorithm="v1", equals_expected=number < 3 or number == 19)

    pair = only_pair(store, "algorithm")

    assert pair.table == Flips(both=3, first_only=12, second_only=1, neither=4)
    assert (pair.test, pair.p_value) == (MCNEMAR, mcnemar(12, 1))


def test_answers_of_one_case_that_are_scored_twice_are_one_draw(store: Store) -> None:
    make_run(store, planned=plan(cases=CASES, variants=[variant(), variant(algorithm="v1")], quota=5))
    made = Made(store)
    for number, case_id in enumerate(CASES):
        for attempt in range(1, 6):
            answer_id = made.answer(made.lane(case_id), attempt)
            made.scoring(answer_id, Outcome.APPLIED, equals_expected=True)
            made.scoring(answer_id, Outcome.APPLIED, diff_algorithm="v1", equals_expected=number > 2)

    pair = only_pair(store, "algorithm")

    assert pair.table == Flips(both=85, first_only=15, second_only=0, neither=0)
    assert pair.test == SIGN_FLIPS
    assert pair.p_value == pytest.approx(2 / 2**3)


def test_by_applied_the_algorithm_that_spoils_files_is_not_worse_and_by_right_it_is(store: Store) -> None:
    make_run(store, planned=plan(cases=CASES, variants=[variant(), variant(algorithm="v1")]))
    made = Made(store)
    for number, case_id in enumerate(CASES):
        answer_id = made.answer(made.lane(case_id))
        made.scoring(answer_id, Outcome.APPLIED if number < 18 else Outcome.NO_MATCH, equals_expected=number < 18)
        made.scoring(answer_id, Outcome.APPLIED, diff_algorithm="v1", equals_expected=number < 6)

    applied, right = (only_pair(store, "algorithm", metric=metric) for metric in ("applied", "right"))

    assert applied.difference.interval.estimate < 0 < right.difference.interval.estimate
    assert (applied.differs, right.differs) == (False, True)


def test_p_values_are_adjusted_over_a_family_and_a_find_needs_an_interval_without_0(store: Store) -> None:
    models = [f"test/m{number}" for number in range(4)]
    make_run(store, planned=plan(cases=CASES, variants=[variant(model) for model in models]))
    made = Made(store)
    for number, model in enumerate(models):
        attempted(made, model, set(CASES[: 6 * number]))

    (family,) = families(samples(store), "right", ["model"])

    assert len(family.pairs) == 6
    neighbours = [pair for pair in family.pairs if pair.p_value == mcnemar(6, 0)]
    assert [pair.adjusted for pair in neighbours] == [pytest.approx(3 * mcnemar(6, 0))] * 3
    assert not any(pair.differs for pair in neighbours)
    assert list(ranks_of(samples(store), family).values()) == ["3", "2", "1=", "1="]


def test_tasks_of_one_file_are_one_draw(store: Store) -> None:
    made = two_models(store)
    for sut, right in ((GOOD, CASES), (POOR, CASES[:5])):
        for number, case_id in enumerate(CASES):
            answer_id = made.answer(made.lane(case_id, sut))
            detail = f'{{"file":"f{number // 4}"}}'
            made.scoring(answer_id, Outcome.SOLVED if case_id in right else Outcome.UNSOLVED, detail=detail)

    pair = only_pair(store, cluster="file")

    assert (pair.difference.cases, pair.difference.clusters, pair.test) == (20, 5, SIGN_FLIPS)
    assert pair.p_value == pytest.approx(2 / 2**4)


def test_variants_that_differ_in_two_dimensions_are_compared_by_neither_but_as_variants(store: Store) -> None:
    make_run(store, planned=plan(variants=[variant(GOOD, "basic"), variant(POOR, "other")]))
    made = Made(store)
    for case_id in "ab":
        made.scoring(made.answer(made.lane(case_id, GOOD, "basic")), Outcome.SOLVED)
        made.scoring(made.answer(made.lane(case_id, POOR, "other")), Outcome.UNSOLVED)

    assert families(samples(store), "right", ["model", "prompt", "algorithm"]) == ()
    family = every_pair(samples(store), "right")
    assert isinstance(family, Family)
    assert len(family.pairs) == 1


def test_a_part_that_one_side_does_not_have_is_no_difference() -> None:
    predictor = replace(variant("ranker", ""), parser="line-number", diff_algorithm="")
    asked = replace(variant(GOOD, "codrep/basic"), parser="line-number", diff_algorithm="")
    whole = replace(variant(GOOD, "edit/whole-file"), parser="whole-file", diff_algorithm="")
    names = [
        VariantName(one.sut, one.prompt, one.parser, one.diff_algorithm, "", "r1", simulated=False)
        for one in (predictor, asked, whole, variant(GOOD))
    ]

    assert differ_by("model", names[0], names[1])
    assert differ_by("prompt", names[2], names[3])
    assert not differ_by("prompt", names[1], names[2])


def test_simulated_models_are_never_compared_or_ranked_with_real_ones(store: Store) -> None:
    variants = [variant(GOOD), variant("sim/x", simulated=True), variant("sim/y", simulated=True)]
    make_run(store, planned=plan(cases=CASES, variants=variants))
    made = Made(store)
    for sut, right in ((GOOD, 5), ("sim/x", 20), ("sim/y", 2)):
        attempted(made, sut, set(CASES[:right]))

    (family,) = families(samples(store), "right", ["model"])

    assert [(pair.first.model, pair.second.model) for pair in family.pairs] == [("sim/x", "sim/y")]
    assert list(ranks_of(samples(store), every_pair(samples(store), "right")).values()) == ["1", "1", "2"]


def test_two_runs_are_compared_on_the_cases_that_did_not_change(store: Store) -> None:
    make_run(store, "r1", plan(cases=CASES, variants=[variant(GOOD)]))
    cases: list[str | CaseRow] = [CaseRow("c00", "another digest"), *CASES[1:]]
    make_run(store, "r2", plan(cases=cases, variants=[variant(GOOD)]))
    attempted(Made(store, "r1"), GOOD, set(CASES))
    attempted(Made(store, "r2"), GOOD, set(CASES[:4]))

    pair = only_pair(store, "run", "r1", "r2")

    assert (pair.first.run, pair.second.run, pair.difference.cases) == ("r1", "r2", 19)
    assert pair.differs


def test_the_same_models_in_two_runs_are_compared_within_each_run_alone(store: Store) -> None:
    for run_id in ("r1", "r2"):
        made = two_models(store, run_id)
        attempted(made, GOOD, set(CASES))
        attempted(made, POOR, set())

    (family,) = families(samples(store, "r1", "r2"), "right", ["model"])

    assert [(pair.first.run, pair.second.run) for pair in family.pairs] == [("r1", "r1"), ("r2", "r2")]


def test_without_common_cases_nothing_is_compared_and_a_line_says_so(store: Store) -> None:
    made = two_models(store)
    attempted(made, GOOD, set(), CASES[:5])
    attempted(made, POOR, set(), CASES[5:])

    found = families(samples(store), "right", ["model"])

    assert [(family.pairs, family.alone) for family in found] == [((), 1)]
    assert comparison_tables(found) == ()
    assert comparison_notes(found) == ("1 pairs have fewer than two cases in common: not compared",)


def test_what_nothing_decides_is_compared_by_applied(store: Store) -> None:
    made = two_models(store)
    for case_id in CASES:
        made.scoring(made.answer(made.lane(case_id, GOOD)), Outcome.APPLIED)
        made.scoring(made.answer(made.lane(case_id, POOR)), Outcome.NO_MATCH)

    assert headline(store, [find_run(store, "r1")]) == "applied"
    assert [sample.cases for sample in samples(store)] == [{}, {}]
    assert only_pair(store, metric="applied").differs


@pytest.mark.parametrize(
    "metric, unit, clock",
    [pytest.param("round_trip_ms", False, 1500.0, id="a clock"), pytest.param("es-line", True, None, id="a metric")],
)
def test_any_figure_can_be_compared(store: Store, metric: str, unit: bool, clock: Value) -> None:
    made = two_models(store)
    for number, case_id in enumerate(CASES):
        for sut, better in ((GOOD, 1.0), (POOR, 0.5)):
            answer_id = made.answer(made.lane(case_id, sut), round_trip_ms=better * 1500 + number)
            made.scoring(answer_id, Outcome.APPLIED, {"es-line": better - number / 100})

    pair = only_pair(store, metric=metric)

    assert (pair.shares, pair.test) == (unit, SIGN_FLIPS)
    assert pair.difference.interval.estimate == pytest.approx(750.0 if clock else 0.5)


def test_the_share_of_valid_answers_is_that_of_the_report(store: Store) -> None:
    made = two_models(store, quota=1)
    for case_id in CASES:
        made.scoring(made.answer(made.lane(case_id, GOOD)), Outcome.APPLIED)
        made.scoring(made.answer(made.lane(case_id, POOR)), Outcome.NO_CALL)
        made.scoring(made.answer(made.lane(case_id, POOR), 2), Outcome.APPLIED)

    pair = only_pair(store, metric="valid")

    assert pair.difference.interval.estimate == pytest.approx(1.0)


def test_a_sentence_says_what_is_shown_and_else_what_would_have_been(store: Store) -> None:
    made = two_models(store)
    attempted(made, GOOD, set(CASES))
    attempted(made, POOR, set(CASES[:5]))

    (better,) = comparison_notes(families(samples(store), "right", ["model"]))
    same, caution = comparison_notes(families(samples(store, metric="applied"), "applied", ["model"]), effect=5)

    assert better.startswith("test/good is better than test/poor by 75.0 points [4")
    assert same == (
        "test/good, test/poor: no difference shown; 20 points or more would have been seen, 379 cases would show 5"
    )
    # All answers of both were applied.
    assert caution == "fewer than 12 cases differ in the comparison: intervals there are wider than 95 % needs"


def test_a_report_ranks_its_variants_with_ties_as_ties(store: Store) -> None:
    models = [variant(POOR), variant(GOOD), variant("test/better")]
    make_run(store, planned=plan(cases=CASES, variants=models))
    made = Made(store)
    for sut, right in ((POOR, 2), (GOOD, 18), ("test/better", 19)):
        attempted(made, sut, set(CASES[:right]))

    shown = report_of(store)

    results, by_model, *_ = shown.tables
    assert [row[:2] for row in results.rows] == [("1=", "test/better"), ("1=", GOOD), ("3", POOR)]
    assert results.title.endswith("prompt basic, diff v4")
    assert by_model.title == "right by model, paired on 20 cases; Holm over 3"
    assert [row[-1] for row in by_model.rows] == ["<", "<", "="]
    assert "rank: = no difference shown" in shown.notes


def test_a_report_of_one_variant_has_no_rank_and_no_comparison(store: Store) -> None:
    make_run(store)
    attempted(Made(store), "test/scripted", {"a"}, ["a", "b"])

    shown = report_of(store)

    assert shown.tables[0].columns[0] == "model"
    assert not any("paired" in table.title for table in shown.tables)


def test_data_has_every_comparison_in_full(store: Store) -> None:
    made = two_models(store)
    attempted(made, GOOD, set(CASES))
    attempted(made, POOR, set())

    (data,) = comparison_data(families(samples(store), "right", ["model"]), effect=20)

    assert (data["by"], data["metric"], data["first"]["model"]) == ("model", "right", GOOD)
    assert (data["shown"], data["cases"], data["effect"]) == (True, 20, 0.2)
    assert data["p_value"] == data["p_holm"] == pytest.approx(2 / 2**20)
    assert data["detectable"] > 2.8 * data["standard_error"] > 0


@pytest.mark.parametrize("columns", [80])
def test_tables_of_usual_names_fit_a_terminal(store: Store, columns: int) -> None:
    make_run(
        store, planned=plan(cases=CASES, variants=[variant("openai/gpt-5-mini"), variant("sim/a", algorithm="v3")])
    )
    made = Made(store)
    attempted(made, "openai/gpt-5-mini", set(CASES[:13]))

    results, *_ = report_of(store).tables

    assert sum(max(map(len, cells)) + 2 for cells in zip(results.columns, *results.rows, strict=True)) <= columns
