"""The numbers of a report, from a database made by hand."""

import pytest

from runner.records import Outcome
from runner.report.answer_figures import Spread
from runner.report.summary import LaneNote, RunSummary, summarize
from runner.report.tables import document
from runner.stats.intervals import rate_over_cases
from runner.storage.runs import CaseRow, find_run
from runner.storage.store import Store
from tests.runner.made_runs import SUT, Made, make_run, plan, variant


@pytest.fixture
def made(store: Store) -> Made:
    make_run(store, planned=plan(cases=["a", "b", "c", CaseRow("d", "digest", skipped="too long")], quota=2))
    return Made(store)


def summary(made: Made, **options: object) -> RunSummary:
    return summarize(made.store, find_run(made.store, made.run_id), **options)  # type: ignore[arg-type]  # edits


def test_valid_and_solved_attempts_are_counted_and_rated_over_cases(made: Made) -> None:
    made.attempt("a", 1, Outcome.APPLIED)
    made.attempt("a", 2, Outcome.NO_MATCH)
    made.attempt("b", 1, Outcome.NO_CALL)
    made.attempt("b", 2, Outcome.APPLIED)
    made.attempt("b", 3, Outcome.APPLIED)

    (found,) = summary(made).variants

    assert (found.cases, found.attempts, found.valid, found.solved) == (2, 5, 4, 3)
    assert found.applied == rate_over_cases([0.5, 1.0], 4)
    assert found.outcomes == {"applied": 3, "no_match": 1, "no_call": 1}


def test_the_valid_rate_is_corrected_for_stopping_at_the_quota(made: Made) -> None:
    for number, outcome in enumerate([Outcome.NO_CALL, Outcome.APPLIED, Outcome.APPLIED], 1):
        made.attempt("a", number, outcome)
    made.attempt("b", 1, Outcome.APPLIED)
    made.attempt("b", 2, Outcome.APPLIED)

    (found,) = summary(made).variants

    assert found.valid_rate is not None
    assert found.valid_rate.estimate == pytest.approx((1 / 2 + 1 / 1) / 2)


def test_where_a_case_asks_several_questions_each_has_its_first_answer(made: Made) -> None:
    made.store.execute(
        "UPDATE runs SET config = json_set(config, '$.settings.valid_attempts_per_step', 1) WHERE run_id = ?", "r1"
    )
    for step, outcomes in enumerate([[Outcome.UNSOLVED], [Outcome.OTHER_TOOL, Outcome.SOLVED]], 1):
        for number, outcome in enumerate(outcomes, 1):
            made.attempt("a", number, outcome, step=step, mode="recommend")
    made.attempt("b", 1, Outcome.SOLVED, step=1, mode="recommend")
    made.attempt("b", 1, Outcome.SOLVED, step=1, mode="fill")
    made.attempt("c", 1, Outcome.SOLVED, step=1, mode="recommend")
    made.attempt("c", 1, Outcome.OTHER_TOOL, step=1, mode="fill")

    (found,) = summary(made).variants

    assert found.valid_rate is not None
    assert found.valid_rate.estimate == pytest.approx((1 / 2 + 1 + 1 / 2) / 3)


def test_what_nothing_tests_is_valid_and_neither_right_nor_wrong(made: Made) -> None:
    made.attempt("a", 1, Outcome.UNTESTED)
    made.attempt("b", 1, Outcome.SOLVED)

    (found,) = summary(made).variants

    assert (found.attempts, found.valid) == (2, 2)
    assert found.right == rate_over_cases([1.0], 1)
    assert found.wrong == rate_over_cases([0.0], 1)


def test_a_crashed_scoring_is_in_no_rate(made: Made) -> None:
    made.attempt("a", 1, Outcome.CRASHED)
    made.attempt("a", 2, Outcome.APPLIED)

    (found,) = summary(made).variants

    assert (found.attempts, found.crashed, found.valid) == (1, 1, 1)
    assert found.applied == rate_over_cases([1.0], 1)


def test_infrastructure_is_apart(made: Made) -> None:
    lane = made.lane("a")
    made.answer(lane, 1, None, outcome="timeout")
    made.answer(lane, 2, None, outcome="sut_error")
    made.answer(lane, 3, None, outcome="sut_error")
    made.answer(lane, 4, None, outcome="in_flight")

    found = summary(made)

    assert found.infrastructure == {SUT: {"timeout": 1, "sut_error": 2}}
    assert found.variants[0].attempts == 0
    assert found.variants[0].right is None


def test_clocks_are_medians_and_ninetieth_percentiles_of_what_has_them(made: Made) -> None:
    for number in range(1, 11):
        made.attempt("a", number, Outcome.APPLIED, first_token_ms=100.0 * number, round_trip_ms=None)
    made.attempt("b", 1, Outcome.APPLIED, round_trip_ms=0.0)

    (found,) = summary(made).variants

    assert found.clocks == {
        "first_token_ms": Spread(10, 550.0, 900.0),
        "round_trip_ms": Spread(1, 0.0, 0.0),
    }


@pytest.mark.parametrize(
    "costs, total",
    [
        pytest.param([(1.0, 9.0), (None, 2.0)], 3.0, id="the provider's figure first"),
        pytest.param([(1.0, None), (None, None)], None, id="one unknown makes all unknown"),
        pytest.param([(0.0, 9.0)], 0.0, id="nothing is not unknown"),
        pytest.param([], None, id="no answer"),
    ],
)
def test_an_unknown_cost_is_not_zero(
    made: Made, costs: list[tuple[float | None, float | None]], total: float | None
) -> None:
    for number, (provider, listed) in enumerate(costs, 1):
        made.attempt("a", number, Outcome.APPLIED, provider_cost_usd=provider, list_cost_usd=listed)

    assert summary(made).variants[0].cost_usd == total


def test_answers_that_told_of_no_tokens_are_counted_and_noted_once(made: Made) -> None:
    made.attempt("a", 1, Outcome.APPLIED, input_tokens=10, output_tokens=5)
    made.attempt("a", 2, Outcome.APPLIED)

    found = summary(made)

    assert found.variants[0].untold == 1
    assert [note for note in document(found).notes if note.startswith("tokens")] == [
        "tokens: 1 of 2 answers of test/scripted, basic reported none, and are in no sum"
    ]


def test_where_no_answer_told_of_tokens_they_are_unknown_and_no_note_says_so_again(made: Made) -> None:
    made.attempt("a", 1, Outcome.APPLIED)

    notes = document(summary(made)).notes

    assert not [note for note in notes if note.startswith("tokens")]


def test_tokens_are_added_by_class(made: Made) -> None:
    made.attempt("a", 1, Outcome.APPLIED, input_tokens=10, output_tokens=5)
    made.attempt("a", 2, Outcome.NO_CALL, input_tokens=1, cache_read_tokens=7)

    tokens = summary(made).variants[0].tokens

    assert tokens == {"input_tokens": 11, "cache_read_tokens": 7, "cache_write_tokens": None, "output_tokens": 5}


def test_an_applied_edit_is_right_or_wrong_by_the_expected_file_and_undecided_without(made: Made) -> None:
    for case_id, equal in (("a", True), ("b", False), ("c", None)):
        answer_id = made.answer(made.lane(case_id))
        made.scoring(answer_id, Outcome.APPLIED, equals_expected=equal, parses_after=equal)
    made.attempt("c", 2, Outcome.NO_MATCH)

    (found,) = summary(made).variants

    assert (found.right, found.wrong) == (rate_over_cases([1.0, 0.0], 2), rate_over_cases([0.0, 1.0], 2))
    assert found.applied == rate_over_cases([1.0, 1.0, 0.5], 4)
    assert found.parse_kept == rate_over_cases([1.0, 0.0], 2)


def test_a_metric_is_the_mean_over_cases_of_the_valid_attempts_that_have_it(made: Made) -> None:
    values = [("a", 1, 0.0), ("a", 2, 1.0), ("b", 1, 1.0)]
    for case_id, number, value in values:
        made.scoring(made.answer(made.lane(case_id), number), Outcome.APPLIED, {"es": value})
    made.scoring(made.answer(made.lane("c")), Outcome.NO_CALL, {"es": 0.0})

    scores = summary(made).variants[0].scores

    assert list(scores) == ["es"]
    assert scores["es"].estimate == pytest.approx(0.75)


@pytest.mark.parametrize("values, above", [((0.0, 0.0, 7.0), True), ((-9.0, 0.0, 7.0), False)], ids=["counts", "any"])
def test_the_interval_of_counts_stays_above_0(made: Made, values: tuple[float, ...], above: bool) -> None:
    for case_id, value in zip("abc", values, strict=True):
        made.scoring(made.answer(made.lane(case_id)), Outcome.APPLIED, {"tp@10": value})

    found = summary(made).variants[0].scores["tp@10"]

    assert (found.low == 0) is above
    assert found.low <= found.estimate < found.high


def test_cases_that_did_not_fill_their_quota_are_named_those_never_come_to_as_well(made: Made) -> None:
    made.lane("a", state="full")
    made.lane("b", state="capped")

    found = summary(made)

    assert found.short_lanes == (LaneNote(SUT, "basic", "b", "capped"), LaneNote(SUT, "basic", "c", "open"))
    assert found.skipped_cases == {"d": "too long"}


@pytest.mark.parametrize("edits, attempts", [(None, 5), ("1", 1), ("2", 1), ("3+", 2)])
def test_attempts_can_be_chosen_by_their_blocks(made: Made, edits: str | None, attempts: int) -> None:
    for number, blocks in enumerate([1, 2, 3, 7, None], 1):
        made.scoring(made.answer(made.lane("a"), number), Outcome.APPLIED, num_edits=blocks)

    (found,) = summary(made, edits=edits).variants

    assert found.attempts == attempts
    assert (found.valid_rate is None) == (edits is not None)


def test_each_variant_has_numbers_of_its_own(store: Store) -> None:
    variants = [variant(), variant(algorithm="v1"), variant("sim/x", simulated=True)]
    make_run(store, planned=plan(variants=variants))
    made = Made(store)
    answer_id = made.answer(made.lane("a"))
    made.scoring(answer_id, Outcome.APPLIED)
    made.scoring(answer_id, Outcome.NO_MATCH, diff_algorithm="v1")

    found = summary(made)

    assert [(one.sut, one.diff_algorithm, one.solved) for one in found.variants] == [
        (SUT, "v4", 1),
        (SUT, "v1", 0),
        ("sim/x", "v4", 0),
    ]
    assert found.simulated


def test_a_replay_shows_its_own_scorings_and_what_became_of_the_answers(made: Made) -> None:
    answer_id = made.attempt("a", 1, Outcome.NO_MATCH)
    made.answer(made.lane("b"), 1, None, outcome="timeout")
    make_run(made.store, "r2", plan(cases=[]))
    made.store.update("runs", {"run_id": "r2"}, {"replay_of": "r1"})
    Made(made.store, "r2").scoring(answer_id, Outcome.APPLIED)

    found = summary(Made(made.store, "r2"))

    assert found.variants[0].outcomes == {"applied": 1}
    assert found.infrastructure == {SUT: {"timeout": 1}}
    assert found.skipped_cases == {"d": "too long"}
