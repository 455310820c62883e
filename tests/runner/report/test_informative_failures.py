"""Which failures a page embeds, and which answers a sample diagnoses."""

import pytest

from runner.diagnosis.attempts import attempts
from runner.records import Outcome
from runner.report.class_counts import class_counts
from runner.report.clock_values import clock_values
from runner.report.informative_failures import informative_failures
from runner.storage.attempt_filter import AttemptFilter
from runner.storage.runs import CaseRow, find_run
from runner.storage.store import Store
from tests.runner.made_runs import Made, make_run, plan, variant

A, B = (("test/a", "basic", "xml-tools-v2", "v4"), ("test/b", "basic", "xml-tools-v2", "v4"))


def run_of(store: Store, outcomes: dict[str, dict[str, list[Outcome]]]) -> None:
    """A run of models that ended so, by model and case."""
    cases = list(dict.fromkeys(case_id for by_case in outcomes.values() for case_id in by_case))
    make_run(store, "r1", plan(cases, [variant(sut) for sut in outcomes]))
    made = Made(store)
    for sut, by_case in outcomes.items():
        for case_id, endings in by_case.items():
            for number, outcome in enumerate(endings, 1):
                expected = True if outcome is Outcome.APPLIED else None
                made.scoring(made.answer(made.lane(case_id, sut), number), outcome, equals_expected=expected)


def chosen(store: Store, most: int) -> tuple[list[tuple[str, str, str]], int]:
    run = find_run(store, "r1")
    ids, total = informative_failures(store, run, {A, B}, class_counts(store, run), most)
    rows = {row["scoring_id"]: row for row in store.rows("SELECT * FROM attempts")}
    return [(rows[at]["sut"], rows[at]["case_id"], rows[at]["outcome"]) for at in ids], total


def test_kinds_take_turns_and_easy_cases_come_first(store: Store) -> None:
    miss, call, good = Outcome.NO_MATCH, Outcome.NO_CALL, Outcome.APPLIED
    run_of(
        store,
        {
            "test/a": {"hard": [miss, miss], "easy": [miss, miss], "odd": [call]},
            "test/b": {"hard": [miss], "easy": [good, good], "odd": [good]},
        },
    )

    rows, total = chosen(store, 5)

    assert total == 6
    assert rows == [
        ("test/a", "easy", "no_match"), ("test/a", "odd", "no_call"), ("test/b", "hard", "no_match"),
        ("test/a", "hard", "no_match"), ("test/a", "easy", "no_match"),
    ]  # fmt: skip


def test_counts_are_by_variant_case_and_class(store: Store) -> None:
    run_of(store, {"test/a": {"one": [Outcome.APPLIED, Outcome.NO_MATCH], "two": [Outcome.NO_CALL]}, "test/b": {}})

    counts = class_counts(store, find_run(store, "r1"))

    assert counts.by_case[A] == {"one": {"right": 1, "failed": 1}, "two": {"invalid": 1}}
    assert counts.totals(A) == {"right": 1, "failed": 1, "invalid": 1}
    assert counts.totals(B) == {}
    assert counts.undecided() == frozenset()


def test_clocks_are_those_of_answers_whatever_scored_them(store: Store) -> None:
    make_run(store, "r1", plan(["a"], [variant(algorithm=name) for name in ("v4", "v1")]))
    made = Made(store)
    for number, clock in enumerate((30.0, None, 10.0), 1):
        answer_id = made.answer(made.lane("a"), number, first_edit_ms=clock)
        for name in ("v4", "v1"):
            made.scoring(answer_id, Outcome.APPLIED, diff_algorithm=name)
    made.answer(made.lane("a"), 4, None, outcome="timeout")

    (values,) = clock_values(store, find_run(store, "r1"), "first_edit_ms").values()

    assert (values.values, values.without, values.count) == ((10.0, 30.0), 1, 3)
    with pytest.raises(ValueError, match="nonsense is no clock"):
        clock_values(store, find_run(store, "r1"), "nonsense")


@pytest.mark.parametrize("models", [1, 3, 4])
def test_a_sample_of_answers_is_even_over_what_takes_turns(store: Store, models: int) -> None:
    names = [f"test/{number}" for number in range(models)]
    case = CaseRow("a", "digest", content='{"file_contents": "one\\n"}')
    make_run(store, "r1", plan([case], [variant(sut) for sut in names]))
    made = Made(store)
    for number in range(240):
        for sut in names:
            made.scoring(made.answer(made.lane("a", sut), number), Outcome.NO_MATCH)

    sample = list(attempts(store, find_run(store, "r1"), AttemptFilter(), one_in=4))

    by_model = [sum(attempt.model == sut for attempt in sample) for sut in names]
    assert all(55 <= count <= 65 for count in by_model)
