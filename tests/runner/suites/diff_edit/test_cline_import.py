"""An evals.db of the original becomes runs of ours: as it counts, and fit to be replayed, compared and shown."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from runner.storage.store import Store
from tests.in_process import Ended, evals
from tests.runner.suites.diff_edit.made_cline_database import FILE, LEGACY, PATH, RIGHT, ClineDatabase, made_database

# How the original itself counts: by `results` alone, and by those without the codes 1, 6 and 7.
_COUNTED = """
SELECT count(*), coalesce(sum(error_enum IS NULL OR error_enum NOT IN (1, 6, 7)), 0), coalesce(sum(succeeded), 0)
FROM results WHERE run_id = ?"""


def _import(database: ClineDatabase, folder: Path, *words: object) -> list[dict[str, Any]]:
    ended = evals("import-cline", database.path, "--db", folder / "ours.db", "--json", *words, cwd=folder)
    assert ended.returncode == 0, ended.stderr
    runs: list[dict[str, Any]] = json.loads(ended.stdout)
    return runs


def _ours(folder: Path, sql: str, *values: object) -> list[Any]:
    with closing(sqlite3.connect(folder / "ours.db")) as connection:
        return connection.execute(sql, values).fetchall()


@pytest.fixture
def original(tmp_path: Path) -> ClineDatabase:
    return made_database(tmp_path / "original.db")


def test_each_run_has_the_counts_of_the_original_s_own_queries(original: ClineDatabase, tmp_path: Path) -> None:
    runs = _import(original, tmp_path)

    assert len(runs) == 2
    for run in runs:
        results, valid, succeeded = original.rows(_COUNTED, run["original_id"])[0]
        assert (run["results"], run["valid"], run["succeeded"]) == (results, valid, succeeded)
        sql = "SELECT count(*), sum(valid), sum(solved) FROM scorings WHERE run_id = ?"
        scored, scored_valid, solved = _ours(tmp_path, sql, run["run_id"])[0]
        # What the provider or the program failed at is no answer of a model: the original counts it as a failed one.
        infrastructure = run["infrastructure"]
        assert (scored + infrastructure, scored_valid + infrastructure, solved) == (results, valid, succeeded)


def test_rates_by_model_are_those_of_the_original(original: ClineDatabase, tmp_path: Path) -> None:
    (first, _) = _import(original, tmp_path)
    sql = """
        SELECT model_id, count(*), sum(succeeded) FROM results
        WHERE run_id = ? AND coalesce(error_enum, 0) NOT IN (1, 6, 7, 4, 99) GROUP BY model_id ORDER BY model_id"""
    ours = """
        SELECT sut, count(*), sum(solved) FROM attempts WHERE run_id = ? AND valid GROUP BY sut ORDER BY sut"""

    assert _ours(tmp_path, ours, first["run_id"]) == original.rows(sql, first["run_id"])


def test_outcomes_clocks_costs_and_texts_are_on_record(original: ClineDatabase, tmp_path: Path) -> None:
    (first, _) = _import(original, tmp_path)

    sql = """
        SELECT case_id, number, outcome FROM attempts WHERE run_id = ? AND sut = 'openai/gpt-4.1'
        UNION ALL SELECT case_id, number, outcome FROM infrastructure WHERE run_id = ?1 AND sut = 'openai/gpt-4.1'
        ORDER BY case_id, number"""
    outcomes = [f"{case} {outcome}" for case, _, outcome in _ours(tmp_path, sql, first["run_id"])]
    clocks = """
        SELECT first_token_ms, first_edit_ms, round_trip_ms, output_tokens, cost_usd, num_edits, lines_added
        FROM attempts WHERE run_id = ? AND round_trip_ms IS NOT NULL LIMIT 1"""

    assert outcomes == [
        "greet_0001 applied",
        "greet_0001 no_match",
        "greet_0001 no_call",
        "greet_0001 no_call",
        "greet_0001 other_tool",
        "greet_0001 wrong_path",
        "greet_0001 several_calls",
        "greet_0002 missing_path",
        "greet_0002 missing_diff",
        "greet_0002 sut_error",
        "greet_0002 sut_error",
        "greet_0002 no_match",
        "greet_0002 applied",
        "greet_0002 no_match",
        "greet_0002 applied",
        "lost_0003 applied",
        "lost_0003 no_match",
    ]
    assert _ours(tmp_path, clocks, first["run_id"]) == [(420, 900, 2100, 90, 0.0125, 1, 1)]
    with closing(Store.open(tmp_path / "ours.db")) as store:
        row = store.rows("SELECT text_id FROM answers ORDER BY answer_id LIMIT 1")[0]
        assert store.text(row["text_id"]) == RIGHT
        assert store.rows("SELECT min(created_at) AS t FROM runs")[0]["t"].startswith("2025-07-01T10:00:")


def test_what_the_original_recorded_stands_where_computing_does_not_agree(
    original: ClineDatabase, tmp_path: Path
) -> None:
    runs = _import(original, tmp_path)

    # An answer whose diff applies, which the original recorded as one that did not, once a model.
    assert [run["not as computed"] for run in runs] == [2, 2]


def _called(folder: Path, *words: object) -> Ended:
    return evals(*words, "--db", folder / "ours.db", cwd=folder)


def test_an_imported_run_is_reported_shown_compared_and_exported(original: ClineDatabase, tmp_path: Path) -> None:
    first, second = (run["run_id"] for run in _import(original, tmp_path))

    report = _called(tmp_path, "report", first, "--json")
    page = _called(tmp_path, "report", first, "--html", tmp_path / "page.html")
    shown = _called(tmp_path, "show", first, "greet_0001", "--json")
    failed = _called(tmp_path, "show", first, "--failed")
    compared = _called(tmp_path, "compare", first, second, "--metric", "applied", "--json")
    diagnosed = _called(tmp_path, "diagnose", first)
    exported = _called(tmp_path, "export", first)
    cost = _called(tmp_path, "cost", first)

    ended = [report, page, shown, failed, compared, diagnosed, exported, cost]
    assert [(one.returncode, one.stderr) for one in ended if one.returncode] == []
    assert len(exported.stdout.splitlines()) == 34
    assert (tmp_path / "page.html").read_text().count("claude-sonnet-4")


def test_an_imported_run_is_replayed_with_other_algorithms(original: ClineDatabase, tmp_path: Path) -> None:
    (first, _) = _import(original, tmp_path)

    replayed = _called(tmp_path, "replay", "--run-id", first["run_id"], "--diff-apply", "v3,v4", "--json")

    assert replayed.returncode == 0, replayed.stderr
    # Answers without a text or without a file are left out: two texts and two files for each of two models.
    assert "6 answers are left out" in replayed.stderr
    replay = json.loads(replayed.stdout)
    sql = "SELECT diff_algorithm, sum(solved) FROM scorings WHERE run_id = ? GROUP BY 1 ORDER BY 1"
    assert _ours(tmp_path, sql, replay["run_id"]) == [("v3", 8), ("v4", 8)]


def test_a_tolerant_engine_rescues_answers_that_a_strict_one_refused(tmp_path: Path) -> None:
    database = ClineDatabase(tmp_path / "original.db")
    run = database.run()
    case = database.case(run, "greet")
    database.result(run, case, LEGACY, succeeded=0, algorithm="diff-06-06-25")
    _import(database, tmp_path)

    replayed = _called(tmp_path, "replay", "--run-id", run, "--diff-apply", "diff-06-25-25", "--json")

    assert _ours(tmp_path, "SELECT solved FROM scorings ORDER BY scoring_id") == [(0,), (1,)]
    assert replayed.returncode == 0


def test_to_import_again_changes_nothing_and_a_run_that_grew_gets_another_name(
    original: ClineDatabase, tmp_path: Path
) -> None:
    first = _import(original, tmp_path)

    again = _import(original, tmp_path)
    run = first[0]["run_id"]
    case = str(original.rows("SELECT case_id FROM cases WHERE run_id = ? LIMIT 1", run)[0][0])
    original.result(run, case, RIGHT, succeeded=1)
    grown = _import(original, tmp_path, "--run-id", run)

    assert [run["was_there"] for run in again] == [True, True]
    assert [(one["run_id"], one["was_there"]) for one in grown] == [(f"{run}-2", False)]


def test_an_imported_run_becomes_a_bundle_that_verifies(original: ClineDatabase, tmp_path: Path) -> None:
    (first, _) = _import(original, tmp_path)

    bundled = _called(tmp_path, "bundle", first["run_id"], "--out", tmp_path / "run.zip")
    verified = evals("verify", tmp_path / "run.zip", cwd=tmp_path)

    assert bundled.returncode == 0, bundled.stderr
    assert "digests: 14 as recorded, 0 not" in verified.stdout


def test_cases_of_one_task_are_told_apart_and_results_without_a_case_are_counted(tmp_path: Path) -> None:
    database = ClineDatabase(tmp_path / "original.db")
    run = database.run()
    for contents in (FILE, FILE + "#\n"):
        database.result(run, database.case(run, "greet", contents), RIGHT, succeeded=1)
    database.result(run, "nowhere", RIGHT, succeeded=1)

    (imported,) = _import(database, tmp_path)

    assert imported["without a case"] == 1
    assert _ours(tmp_path, "SELECT case_id, path FROM cases ORDER BY 1") == [("greet", PATH), ("greet~2", PATH)]


def test_a_run_without_results_and_without_its_prompt_is_imported(tmp_path: Path) -> None:
    database = ClineDatabase(tmp_path / "original.db")
    run = database.run()
    with closing(sqlite3.connect(database.path)) as connection, connection:
        connection.execute("DELETE FROM system_prompts")

    (imported,) = _import(database, tmp_path)

    assert imported == {"run_id": run, "original_id": run, "was_there": False}


ODD = {
    "no table": ("DROP TABLE processing_functions", "has no table 'processing_functions'"),
    "a view": ("ALTER TABLE files RENAME TO f; CREATE VIEW files AS SELECT * FROM f", "has no table 'files'"),
    "no column": ("ALTER TABLE results DROP COLUMN raw_model_output", "has no column 'raw_model_output'"),
    "bytes": ("UPDATE results SET raw_model_output = x'00ff'", "column 'raw_model_output' is no text"),
    "no number": ("UPDATE results SET cost_usd = 'much'", "column 'cost_usd' is no number"),
    "no UTF-8": ("UPDATE results SET raw_model_output = CAST(x'ff' AS TEXT)", "cannot be read as a database"),
    "no runs": ("DELETE FROM results; DELETE FROM cases; DELETE FROM runs", "has no run"),
}


@pytest.mark.parametrize("sql, words", ODD.values(), ids=ODD)
def test_a_database_of_another_form_is_refused_by_one_line(
    original: ClineDatabase, tmp_path: Path, sql: str, words: str
) -> None:
    with closing(sqlite3.connect(original.path)) as connection:
        connection.executescript(f"PRAGMA foreign_keys = OFF; {sql};")

    ended = evals("import-cline", original.path, "--db", tmp_path / "ours.db", cwd=tmp_path)

    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1), ended.stderr
    assert words in ended.stderr
    assert not (tmp_path / "ours.db").exists()


@pytest.mark.parametrize("data", [None, b"", b"no database", b"SQLite format 3\0" + bytes(100)])
def test_what_is_no_database_is_refused_by_one_line(tmp_path: Path, data: bytes | None) -> None:
    path = tmp_path / "original.db"
    if data is not None:
        path.write_bytes(data)

    ended = evals("import-cline", path, "--db", tmp_path / "ours.db", cwd=tmp_path)

    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1), ended.stderr


def test_the_original_is_not_changed(original: ClineDatabase, tmp_path: Path) -> None:
    before = original.path.read_bytes()

    _import(original, tmp_path)

    assert original.path.read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"original.db", "ours.db"}
