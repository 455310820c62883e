"""Counts that are kept as rows are written: they equal what counting again gives."""

import pytest

from runner.records import Outcome
from runner.storage.store import Store
from runner.storage.tallies import rebuild_tallies, wrong_tallies
from tests.runner.made_runs import Made, make_run, plan, variant


@pytest.fixture
def made(store: Store) -> Made:
    make_run(store, "r1", plan(variants=[variant(), variant(algorithm="v3")]))
    return Made(store)


def counts(store: Store, table: str, *columns: str) -> list[tuple[object, ...]]:
    names = ", ".join(columns)
    rows = store.rows(f"SELECT {names}, sum(n) FROM {table} WHERE n != 0 GROUP BY {names} ORDER BY {names}")  # noqa: S608 - test
    return [tuple(row) for row in rows]


def test_scorings_are_counted_by_class_outcome_and_blocks(store: Store, made: Made) -> None:
    for number, edits in enumerate((None, 1, 2, 3, 7), 1):
        answer = made.answer(made.lane("a"), number)
        made.scoring(answer, Outcome.APPLIED, num_edits=edits, equals_expected=True)
        made.scoring(answer, Outcome.NO_MATCH, num_edits=edits, diff_algorithm="v3")

    assert counts(store, "scoring_tallies", "class", "outcome", "edits") == [
        ("failed", "no_match", 0, 1),
        ("failed", "no_match", 1, 1),
        ("failed", "no_match", 2, 1),
        ("failed", "no_match", 3, 2),
        ("right", "applied", 0, 1),
        ("right", "applied", 1, 1),
        ("right", "applied", 2, 1),
        ("right", "applied", 3, 2),
    ]
    assert wrong_tallies(store) == {}


def test_a_scoring_that_goes_is_counted_no_more(store: Store, made: Made) -> None:
    made.attempt("a", 1, Outcome.APPLIED)
    made.attempt("a", 2, Outcome.APPLIED)

    store.execute("DELETE FROM scorings WHERE scoring_id = 1")

    assert counts(store, "scoring_tallies", "outcome") == [("applied", 1)]
    assert wrong_tallies(store) == {}


def test_answers_are_counted_when_they_end_and_again_when_that_changes(store: Store, made: Made) -> None:
    lane = made.lane("a")
    waiting = made.answer(lane, 1, None, outcome="in_flight")
    made.answer(lane, 2, first_edit_ms=137.2, output_tokens=50, list_cost_usd=0.5)
    assert counts(store, "answer_tallies", "outcome", "first_edit_ms") == [("answered", 140.0, 1)]

    store.update("answers", {"answer_id": waiting}, {"outcome": "lost"})
    store.update("answers", {"answer_id": waiting}, {"outcome": "answered", "first_edit_ms": 12.34, "output_tokens": 7})

    assert counts(store, "answer_tallies", "outcome", "first_edit_ms") == [
        ("answered", 12.0, 1),
        ("answered", 140.0, 1),
    ]
    (sums,) = store.rows("SELECT sum(output_tokens), sum(cost_usd), sum(unpriced) FROM answer_tallies WHERE n != 0")
    assert tuple(sums) == (57, 0.5, 1)
    assert wrong_tallies(store) == {}


def test_wrong_counts_are_found_and_counted_again(store: Store, made: Made) -> None:
    made.attempt("a", 1, Outcome.APPLIED)
    made.attempt("b", 1, Outcome.NO_MATCH)
    before = counts(store, "scoring_tallies", "lane_id", "outcome")
    store.execute("UPDATE scoring_tallies SET n = 5 WHERE outcome = 'applied'")
    store.execute("DELETE FROM answer_tallies")

    assert wrong_tallies(store) == {"scoring_tallies": 1, "answer_tallies": 1}
    assert rebuild_tallies(store) == {"scoring_tallies": 1, "answer_tallies": 1}

    assert wrong_tallies(store) == {}
    assert counts(store, "scoring_tallies", "lane_id", "outcome") == before


def test_a_reading_connection_writes_nothing_and_sees_what_others_write(store: Store, made: Made) -> None:
    reader = Store.open_to_read(store.path)
    made.attempt("a", 1, Outcome.APPLIED)

    with pytest.raises(Exception, match="readonly"):
        reader.execute("DELETE FROM runs")

    with reader.snapshot():
        seen = reader.rows("SELECT count(*) FROM scorings")[0][0]
        made.attempt("a", 2, Outcome.APPLIED)
        assert reader.rows("SELECT count(*) FROM scorings")[0][0] == seen == 1
    assert reader.rows("SELECT count(*) FROM scorings")[0][0] == 2
    reader.close()
