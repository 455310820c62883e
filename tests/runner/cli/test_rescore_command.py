"""`evals rescore`: more metrics for a stored run, without asking anybody."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from runner.metrics import METRICS
from tests.runner.cli.conftest import Call

CASES = Path(__file__).parents[3] / "cases" / "diff_edit"


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call) -> Path:
    """A run, `one`, of right and wrong answers at cases with expected files."""
    monkeypatch.chdir(tmp_path)
    model = "sim/any?time=virtual&valid=0.8&applied=0.5"
    call("diff", "--model-ids", model, "--cases", CASES, "--max-cases", 6, "-n", 2, "--run-id", "one", "--json")
    return tmp_path / "evals.db"


def values(db: Path, metric: str) -> list[tuple[int, int, float]]:
    """(solved, scoring, value) of each scoring that has the metric."""
    with closing(sqlite3.connect(db)) as connection:
        sql = "SELECT solved, scoring_id, value FROM scores JOIN scorings USING (scoring_id) WHERE metric = ?"
        return connection.execute(sql, (metric,)).fetchall()


def test_each_valid_attempt_gets_a_value_of_each_metric(db: Path, call: Call) -> None:
    done = call("rescore", "one", "--metric", "exact,chrf", "--json")
    variant = json.loads(done.out)["variants"][0]

    assert done.code == 0
    assert len(values(db, "exact")) == len(values(db, "chrf")) == variant["valid"]
    assert set(variant["scores"]) >= {"exact", "chrf"}


def test_right_answers_score_one_and_answers_that_did_nothing_what_the_untouched_file_does(
    db: Path, call: Call
) -> None:
    call("rescore", "one", "--metric", "exact,es-line")

    assert {value for solved, _, value in values(db, "exact") if solved} == {1.0}
    assert {value for solved, _, value in values(db, "exact") if not solved} == {0.0}
    assert {value for solved, _, value in values(db, "es-line") if solved} == {1.0}
    assert all(value < 1 for solved, _, value in values(db, "es-line") if not solved)


def test_the_default_metrics_are_scored(db: Path, call: Call) -> None:
    done = call("rescore")

    assert done.code == 0
    assert "scorings of run one scored" in done.err
    assert all(values(db, name) for name in ("es-token", "es-line", "sari", "nes"))


def test_scoring_twice_changes_nothing(db: Path, call: Call) -> None:
    call("rescore", "one", "--metric", "chrf")
    first = values(db, "chrf")

    call("rescore", "one", "--metric", "chrf")

    assert sorted(values(db, "chrf")) == sorted(first)


def test_every_metric_that_is_registered_can_be_scored(db: Path, call: Call) -> None:
    done = call("rescore", "one", "--metric", ",".join(METRICS), "--json")

    assert done.code == 0
    assert set(json.loads(done.out)["variants"][0]["scores"]) == set(METRICS)
    assert db.is_file()


def test_a_replay_is_scored_by_the_cases_of_the_run_that_asked(db: Path, call: Call) -> None:
    replay = json.loads(call("replay", "--run-id", "one", "--diff-apply", "v1", "--json").out)

    done = call("rescore", replay["run_id"], "--metric", "exact", "--json")

    assert done.code == 0
    assert len(values(db, "exact")) == json.loads(done.out)["variants"][0]["valid"]


@pytest.mark.parametrize(
    "words,told",
    [
        pytest.param(("--metric", "beauty"), "--metrics: no metric is called 'beauty'", id="an unknown metric"),
        pytest.param(("--metric", ","), "--metrics: names nothing", id="no metric"),
        pytest.param(("nobody",), "run 'nobody': there is none of that id", id="an unknown run"),
    ],
)
def test_what_cannot_be_scored_is_one_line(words: tuple[str, ...], told: str, db: Path, call: Call) -> None:
    done = call("rescore", *words)

    assert db.is_file()
    assert done.code == 2
    assert done.err.startswith(f"evals: {told}")
    assert done.err.count("\n") == 1


def test_a_run_without_expected_files_cannot_be_scored(tmp_path: Path, call: Call) -> None:
    case = json.loads((CASES / "py_lru_cache_peek.json").read_text(encoding="utf-8"))
    del case["expected_contents"]
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "case.json").write_text(json.dumps(case))
    words = ("--cases", tmp_path / "cases", "--db", tmp_path / "x.db", "--run-id", "bare", "--json")
    call("diff", "--model-ids", "sim/any?time=virtual", *words)

    done = call("rescore", "--db", tmp_path / "x.db")

    assert done.code == 2
    assert done.err == "evals: run bare: has no valid attempt at a case whose expected result is known\n"
