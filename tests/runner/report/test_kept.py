"""Figures that are kept of large runs: they are those that the rows give, until a row changes."""

from contextlib import closing

import pytest

from runner.report.kept import kept
from runner.report.run_report import Report
from runner.storage.kept_figures import changes, keep_figures, kept_figures
from runner.storage.runs import find_run, finish
from runner.storage.store import Store
from runner.suites.diff_edit.report import report
from tests.runner.made_runs import UTC
from tests.runner.report.random_runs import draw_replay, draw_run

CHANGES = {
    "an answer": "UPDATE answers SET first_token_ms = 7.0",
    "an answer that comes": "INSERT INTO answers (lane_id, step, mode, number, try, sent_at, outcome)"
    " SELECT min(lane_id), 0, '', 99, 1, '', 'lost' FROM lanes WHERE run_id = 'r1'",
    "a scoring": "UPDATE scorings SET valid = 0, outcome = 'no_call'",
    "a scoring that goes": "DELETE FROM scorings WHERE scoring_id NOT IN (SELECT scoring_id FROM scores)",
    "a score": "UPDATE scores SET value = 0.5",
    "a score that goes": "DELETE FROM scores",
    "a lane": "UPDATE lanes SET settled_at = 1",
    "a variant": "UPDATE variants SET endpoint = 'https://another.example'",
    "a case": "UPDATE cases SET digest = 'another'",
    "a session": "INSERT INTO sessions (run_id, began_at, late_p99_ms, late_max_ms) VALUES ('r1', '', 9.0, 9.0)",
    "the quota": "UPDATE runs SET config = json_set(config, '$.settings.valid_attempts_per_case', 1)",
}


@pytest.fixture
def drawn(store: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A run and its replay, both taken for large."""
    monkeypatch.setattr("runner.report.kept.LARGE", 1)
    draw_run(store, 1)
    draw_replay(store, 1, "r1", "r2")
    for run_id in ("r1", "r2"):
        finish(store, run_id, UTC, complete=True)
    return store


def report_of(store: Store, run_id: str) -> Report:
    return report(store, find_run(store, run_id))


def parts(store: Store, run_id: str) -> list[str]:
    return [row["part"] for row in store.rows("SELECT part FROM kept_figures WHERE run_id = ? ORDER BY part", run_id)]


@pytest.mark.parametrize("run_id", ["r1", "r2"])
def test_a_kept_report_is_the_computed_one(drawn: Store, run_id: str) -> None:
    computed = report_of(drawn, run_id)
    assert parts(drawn, run_id) == ["agent notes", "comparisons by case", "summary"]

    assert report_of(drawn, run_id) == computed


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_of_what_figures_rest_on_has_them_computed_again(drawn: Store, change: str) -> None:
    report_of(drawn, "r1")
    drawn.execute(change)
    assert parts(drawn, "r1") == []

    after = report_of(drawn, "r1")

    drawn.execute("DELETE FROM kept_figures")
    assert after == report_of(drawn, "r1")


def test_a_change_of_an_answer_has_replays_of_it_computed_again(drawn: Store) -> None:
    report_of(drawn, "r2")

    drawn.execute("UPDATE answers SET first_token_ms = 7.0")

    assert parts(drawn, "r2") == []


def test_a_replay_leaves_the_figures_of_its_run(drawn: Store) -> None:
    report_of(drawn, "r1")
    report_of(drawn, "r2")

    draw_replay(drawn, 4, "r1", "r3")
    drawn.execute("UPDATE runs SET name = 'other', state = 'incomplete' WHERE run_id = 'r2'")

    assert (len(parts(drawn, "r1")), len(parts(drawn, "r2"))) == (3, 3)
    assert report_of(drawn, "r2").summary.name == "other"


def test_small_runs_and_runs_at_work_keep_nothing(drawn: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn.execute("UPDATE runs SET state = 'running' WHERE run_id = 'r1'")
    report_of(drawn, "r1")
    monkeypatch.setattr("runner.report.kept.LARGE", 10_000)
    report_of(drawn, "r2")

    assert (parts(drawn, "r1"), parts(drawn, "r2")) == ([], [])


def test_what_another_process_changed_meanwhile_is_not_kept(drawn: Store) -> None:
    run, seen = find_run(drawn, "r1"), changes(drawn)
    with closing(drawn.another(1.0)) as other:
        other.execute("UPDATE answers SET first_token_ms = 7.0")

    keep_figures(drawn, run, "part", "digest", b"", seen)

    assert kept_figures(drawn, run, "part", "digest") is None


def test_a_report_inside_a_snapshot_keeps_nothing(drawn: Store) -> None:
    with drawn.snapshot():
        inside = report_of(drawn, "r1")

    assert parts(drawn, "r1") == []
    assert report_of(drawn, "r1") == inside


def test_what_does_not_fit_is_computed_again(drawn: Store) -> None:
    run = find_run(drawn, "r1")
    kept(drawn, run, "part", int, lambda: 1)
    assert kept(drawn, run, "part", int, lambda: 2) == 1

    drawn.execute("UPDATE kept_figures SET content = CAST('not packed' AS BLOB)")

    assert kept(drawn, run, "part", int, lambda: 3) == 3
