"""Servers of one model that differ are named, with their p-values; those that are alike are not."""

from dataclasses import replace

import pytest

from runner.records import Outcome
from runner.report.replicas import ReplicaFigures, replica_notes, replica_table
from runner.report.summary import summarize
from runner.storage.runs import find_run
from runner.storage.store import Store, Value
from suts.replicated import REPLICAS
from tests.runner.made_runs import SUT, UTC, Made, make_run, plan, variant


@pytest.fixture
def made(store: Store) -> Made:
    algorithms = [replace(variant(algorithm=name), endpoint=REPLICAS) for name in ("v4", "v3")]
    make_run(store, planned=plan(variants=algorithms))
    return Made(store)


def call(made: Made, answer_id: int, retry: int, replica: str | None, outcome: str = "answered") -> None:
    row: dict[str, Value] = {
        "answer_id": answer_id,
        "retry": retry,
        "sent_at": UTC,
        "outcome": outcome,
        "replica": replica,
    }
    made.store.insert("calls", row)


def serve(made: Made, replica: str, outcomes: dict[Outcome, int], failed: int = 0) -> None:
    """Attempts that a server answered, the first ones after a call that it failed; each read by two algorithms."""
    answered = len(made.store.rows("SELECT 1 FROM answers"))
    each = [outcome for outcome, count in outcomes.items() for _ in range(count)]
    for number, outcome in enumerate(each, answered + 1):
        answer_id = made.answer(made.lane("a"), number)
        made.scoring(answer_id, outcome, equals_expected=outcome is Outcome.APPLIED)
        made.scoring(answer_id, Outcome.NO_CALL, diff_algorithm="v3")
        retried = number - answered <= failed
        if retried:
            call(made, answer_id, 0, replica, "failed")
        call(made, answer_id, int(retried), replica)


def figures(made: Made) -> tuple[ReplicaFigures, ...]:
    return summarize(made.store, find_run(made.store, "r1")).replicas


def test_servers_that_differ_are_named_with_what_they_differ_in(made: Made) -> None:
    serve(made, "a:1", {Outcome.APPLIED: 18, Outcome.NO_CALL: 2})
    serve(made, "b:2", {Outcome.APPLIED: 4, Outcome.NO_MATCH: 1, Outcome.NO_CALL: 15}, failed=10)

    first, other = figures(made)

    assert [(rate.count, rate.total) for rate in (first.failed, first.valid, first.right)] == [
        (0, 20),
        (18, 20),
        (18, 18),
    ]
    assert [(rate.count, rate.total) for rate in (other.failed, other.valid, other.right)] == [
        (10, 30),
        (5, 20),
        (4, 5),
    ]
    # By scipy.stats.fisher_exact 0.0034334, 0.0000686 and 0.2173913; Holm multiplies them by 2, 3 and 1.
    assert first.failed.p == other.failed.p == pytest.approx(0.0068667, abs=1e-7)
    assert other.valid.p == pytest.approx(0.0002058, abs=1e-7)
    assert [note.removeprefix(f"the servers of {SUT} do not ") for note in replica_notes((first, other))] == [
        "fail calls equally often (p 0.007): a:1 0.0 % of 20, other servers 33.3 % of 30",
        "give valid attempts equally often (p <0.001): a:1 90.0 % of 20, other servers 25.0 % of 20",
    ]
    assert replica_table((first, other)).rows[1] == (
        SUT, "b:2", "33.3 % of 30", "0.007", "25.0 % of 20", "<0.001", "80.0 % of 5", "0.217",
    )  # fmt: skip


def test_of_three_servers_each_is_tested_against_the_other_two(made: Made) -> None:
    for replica in ("a:1", "b:2"):
        serve(made, replica, {Outcome.APPLIED: 20})
    serve(made, "c:3", {Outcome.APPLIED: 10, Outcome.NO_CALL: 10})

    (note,) = replica_notes(figures(made))

    assert "do not give valid attempts" in note
    assert "c:3 50.0 % of 20, other servers 100.0 % of 40" in note


def test_servers_that_are_alike_are_not_named_and_one_server_is_no_comparison(made: Made) -> None:
    serve(made, "a:1", {Outcome.APPLIED: 10, Outcome.NO_CALL: 2}, failed=1)
    assert figures(made) == ()

    serve(made, "b:2", {Outcome.APPLIED: 9, Outcome.NO_CALL: 3})

    assert [server.replica for server in figures(made)] == ["a:1", "b:2"]
    assert list(replica_notes(figures(made))) == []
