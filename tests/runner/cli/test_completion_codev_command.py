"""`evals completion codev`: from Codev-Bench's prompts to its predictions, results and scores."""

import csv
import json
from contextlib import closing
from pathlib import Path

import pytest

from runner.storage.store import Store
from runner.suites.completion.dataset import Dataset, DatasetOrigin, write_dataset
from tests.codev import CUT, FULL, TASKS, codev_dir, write_rows
from tests.completion import CODE, write_repository
from tests.completion import TASKS as OWN
from tests.runner.cli.conftest import Call, Done

TRUE = "sim/truth?time=virtual"
EMPTY = "complete_current_header_empty_completion"
SHELF = Path(__file__).parents[3] / "cases" / "completion" / "shelf.jsonl"
ORIGIN = DatasetOrigin("repo", "", "3.11", (), 3, 0)
FIELDS = {"response_original_text", "response", "latency"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return codev_dir(tmp_path / "codev")


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.wide
def test_prompts_become_predictions_results_and_scores(call: Call, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "predicts"
    words = ["--codev-dir", folder, "--sut", TRUE, "--check-unittest", "--out", out, "--db", tmp_path / "evals.db"]

    done = call("completion", "codev", *words, "--json")

    assert done.code == 0
    told = {one["scene"]: one for one in json.loads(done.out)}
    assert all(one["simulated"] for one in told.values())
    assert told[FULL]["steps"]["original"] == {"n_all": 3, "n_pass": 3}
    assert told[CUT]["steps"]["original"] == {"n_all": 3, "n_pass": 2}
    assert told[CUT]["steps"]["ours"] == {"n_all": 3, "n_pass": 3}
    assert [(one["model"], one["verdict"], one["failing"]) for one in told[CUT]["answers"]] == [
        (TRUE, "pass", None)
    ] * 3
    assert [one["steps"]["original"] for one in told[CUT]["answers"]].count(False) == 1
    name = "sim_truth_time=virtual.jsonl"
    predictions = rows(out / FULL / "predictions" / name)
    assert [set(row) - set(TASKS[0]) for row in predictions] == [FIELDS] * 3
    assert all(row["response"] == row["middle"] for row in predictions)
    assert [row["is_all_passed"] for row in rows(out / CUT / "results" / f"{name}.0")].count(False) == 1
    assert json.loads((out / CUT / "scores" / name).read_text())["TOTAL"] == {"n_all": 3, "n_pass": 2}
    with (out / "all_scores" / "pass_rate.csv").open() as file:
        table = {row["scene"]: row["Average"] for row in csv.DictReader(file)}
    assert table == {FULL: "100.0", CUT: "66.67"}


@pytest.mark.wide
def test_verdicts_are_kept_with_the_run_and_are_those_of_a_later_check(
    call: Call, folder: Path, tmp_path: Path
) -> None:
    db, prompts = tmp_path / "evals.db", folder / "prompts" / f"{FULL}.jsonl"
    words = [prompts, "--codev-dir", folder, "--out", tmp_path / "out", "--db", db, "--json"]
    models = ["--sut", f"{TRUE},sim/wrong?time=virtual"]

    unchecked = call("completion", "codev", *words, *models, "--run-id", "r")
    before = json.loads(call("report", "r", "--db", db, "--json").out)["variants"]
    for _ in range(2):
        call("completion", "codev", *words, *models, "--run-id", "r", "--check-unittest")

    assert unchecked.code == 0
    assert [row["outcomes"] for row in before] == [{"untested": 3}] * 2
    after = json.loads(call("report", "r", "--db", db, "--json").out)["variants"]
    assert {row["sut"]: row["outcomes"] for row in after} == {
        TRUE: {"solved": 3},
        "sim/wrong?time=virtual": {"unsolved": 3},
    }
    assert {row["sut"]: row["scores"]["pass"]["estimate"] for row in after} == {
        TRUE: 1.0,
        "sim/wrong?time=virtual": 0.0,
    }
    bundle = tmp_path / "r.evalrun"
    assert call("bundle", "r", "--db", db, "--out", bundle).code == 0
    assert call("verify", bundle).code == 0
    with closing(Store.open(db)) as store:
        store.execute("UPDATE scorings SET outcome = 'solved', solved = 1 WHERE outcome = 'unsolved'")
    forged = tmp_path / "forged.evalrun"
    assert call("bundle", "r", "--db", db, "--out", forged).code == 0
    assert call("verify", forged).code != 0


def test_predicting_into_the_folder_of_the_repositories_hides_nothing_that_tests_need(call: Call, folder: Path) -> None:
    words = ["--codev-dir", folder, "--sut", TRUE, "--check-unittest", "--out", folder, "--limit", 1]

    done = call("completion", "codev", *words, folder / "prompts" / f"{FULL}.jsonl", "--db", folder / "x.db", "--json")

    assert json.loads(done.out)[0]["steps"]["ours"] == {"n_all": 1, "n_pass": 1}


@pytest.mark.wide
def test_tests_that_cannot_be_run_are_told(call: Call, folder: Path, tmp_path: Path) -> None:
    path = folder / "prompts" / f"{FULL}.jsonl"
    write_rows(path, [TASKS[0] | {"unit_test_ids": ["tests/test_pair.py::test_absent"]}])
    words = ["--codev-dir", folder, "--sut", TRUE, "--check-unittest", "--out", tmp_path / "out"]

    done = call("completion", "codev", path, *words, "--db", tmp_path / "x.db", "--json")

    assert f"{FULL}: the tests of 1 predictions break off with the truth too" in done.err
    steps = json.loads(done.out)[0]["steps"]
    assert (steps["original"], steps["told"]) == ({"n_all": 1, "n_pass": 0}, {"n_all": 0, "n_pass": 0})


@pytest.mark.wide
def test_predictions_are_scored_again_without_a_call(call: Call, folder: Path, tmp_path: Path) -> None:
    row = TASKS[0] | {"response_original_text": "```\nreturn 2 * x\n```", "response": "return 2 * x", "latency": 0.5}
    wrong = row | {"response_original_text": "```\nreturn\n```", "response": "return"}
    path = write_rows(
        tmp_path / "theirs" / FULL / "predictions" / "gpt-x.jsonl", [row, row | {"response": "return"}, wrong]
    )
    words = ["--predictions", path.parents[2], "--codev-dir", folder, "--check-unittest", "--out", tmp_path / "out"]

    done = call("completion", "codev", *words, "--json")

    (told,) = json.loads(done.out)
    assert (told["scene"], told["model"], told["steps"]["original"]) == (FULL, "gpt-x", {"n_all": 3, "n_pass": 1})
    verdicts = [(one["filling"], one["verdict"], one["failing"]) for one in told["answers"]]
    failing = "tests/test_pair.py::test_double"
    assert verdicts == [*[("return 2 * x", "pass", None)] * 2, ("return", "fail", failing)]
    assert (tmp_path / "out" / FULL / "scores" / "gpt-x.jsonl").is_file()


def without_tests(call: Call, folder: Path, tmp_path: Path, *words: str) -> Done:
    prompts = folder / "prompts" / f"{FULL}.jsonl"
    place = ["--out", tmp_path / "out", "--db", tmp_path / "evals.db"]
    return call("completion", "codev", prompts, "--sut", TRUE, *place, "--json", *words)


def test_checks_alone_need_no_repository(call: Call, folder: Path, tmp_path: Path) -> None:
    done = without_tests(call, folder, tmp_path, "--check-cross-line", "--check-indent", "--all-types")

    (told,) = json.loads(done.out)
    assert told["scores"]["TOTAL"] == {"n_all": 4, "n_pass": 3}
    assert told["scores"]["loop"] == {"n_all": 1, "n_pass": 1}


def test_without_checks_there_are_predictions_alone(call: Call, folder: Path, tmp_path: Path) -> None:
    done = without_tests(call, folder, tmp_path)

    assert done.code == 0
    assert "1 of 4 tasks are not asked, as in the original" in done.err
    assert (tmp_path / "out" / FULL / "predictions").is_dir()
    assert not (tmp_path / "out" / FULL / "results").exists()


def test_an_empty_response_is_right_where_it_is_checked_for(call: Call, folder: Path, tmp_path: Path) -> None:
    done = without_tests(call, folder, tmp_path, "--check-empty")

    assert json.loads(done.out)[0]["scores"]["TOTAL"] == {"n_all": 3, "n_pass": 0}


@pytest.mark.parametrize(
    "words, told",
    [
        pytest.param([], "--model-ids: is missing", id="nobody"),
        pytest.param(["--sut", TRUE], "PROMPTS: is missing", id="nothing"),
        pytest.param(["--sut", TRUE, "--predictions", "x"], "nobody is asked where they are given", id="both"),
        pytest.param(["--sut", TRUE, "--check-unittest", "p"], "--check-unittest: needs the repositories", id="where"),
        pytest.param(["--sut", TRUE, "--check-unittest", "--codev-dir", "."], "no folder Source_Code_Copy", id="empty"),
        pytest.param(["--sut", TRUE, "absent.jsonl"], "absent.jsonl: cannot be read", id="no file"),
        pytest.param(["--sut", TRUE, "-n", "2", "p"], "--valid-attempts-per-case: is 2; Codev-Bench", id="samples"),
        pytest.param(["--predictions", "absent.jsonl"], "absent.jsonl: cannot be read", id="no predictions"),
    ],
)
def test_what_cannot_be_is_one_line(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], told: str
) -> None:
    monkeypatch.chdir(tmp_path)

    done = call("completion", "codev", *words)

    assert done.code == 2
    assert len(done.err.splitlines()) == 1
    assert told in done.err


def test_each_bad_row_is_one_line(call: Call, tmp_path: Path) -> None:
    path = write_rows(tmp_path / "m.jsonl", [TASKS[0] | {"block_key": "x"}, {}])

    done = call("completion", "codev", path, "--sut", TRUE, "--db", tmp_path / "evals.db")

    assert done.code == 2
    assert [line.split(": ")[1] for line in done.err.splitlines()] == [f"{path}:1", f"{path}:2"]
    assert not (tmp_path / "evals.db").exists()


def test_predictions_of_a_simulated_model_stay_so(call: Call, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "predicts"
    call("completion", "codev", "--codev-dir", folder, "--sut", TRUE, "--out", out, "--db", tmp_path / "evals.db")

    done = call(
        "completion", "codev", "--predictions", out, "--check-cross-line", "--out", tmp_path / "again", "--json"
    )

    assert {one["simulated"] for one in json.loads(done.out)} == {True}


def test_a_fault_of_the_metadata_is_told_once_for_all_tasks(call: Call, folder: Path, tmp_path: Path) -> None:
    metadata = folder / "metadatas" / "pair" / "test_metadata_funcname_passed_called.jsonl"
    metadata.write_text("{}\n")
    words = ["--codev-dir", folder, "--sut", TRUE, "--check-unittest", "--out", tmp_path / "out"]

    done = call("completion", "codev", *words, "--db", tmp_path / "evals.db")

    assert done.code == 2
    assert [line for line in done.err.splitlines() if "not asked" not in line] == [
        f"evals: {metadata}:1: field 'did' is missing; add it, a string (there are: none)"
    ]


def test_prompts_without_markers_are_told_and_asked(call: Call, tmp_path: Path) -> None:
    path = write_rows(tmp_path / "m.jsonl", [TASKS[0] | {"prompt": "Complete."}])

    done = call("completion", "codev", path, "--sut", TRUE, "--db", tmp_path / "e.db", "--out", tmp_path / "out")

    assert done.code == 0
    assert "m.jsonl:1: field 'prompt' has no <fim_prefix>" in done.err


def test_a_dry_run_bounds_the_cost_and_writes_nothing(call: Call, folder: Path, tmp_path: Path) -> None:
    place = ["--out", tmp_path / "out", "--db", tmp_path / "evals.db"]

    done = call("completion", "codev", "--codev-dir", folder, "--sut", "sim/careful", *place, "--dry-run", "--json")

    data = json.loads(done.out)
    assert (done.code, data["suite"], data["cases"], data["most_attempts"]) == (0, "codev", 6, 6)
    assert 0 < data["estimated_usd"] < data["bound_usd"]
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "evals.db").exists()


def test_predictions_are_read_and_left_alone_in_a_dry_run(call: Call, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "predicts"
    call("completion", "codev", "--codev-dir", folder, "--sut", TRUE, "--out", out, "--db", tmp_path / "evals.db")

    done = call("completion", "codev", "--predictions", out, "--dry-run", "--out", tmp_path / "again", "--check-empty")

    assert (done.code, done.out) == (0, "")
    assert f"{FULL}: 3 predictions of sim_truth_time=virtual; nobody is asked" in done.err
    assert not (tmp_path / "again").exists()


def test_a_run_goes_on_with_what_is_there_and_keeps_its_name(call: Call, folder: Path, tmp_path: Path) -> None:
    db, out = tmp_path / "evals.db", tmp_path / "out"
    words = ["--codev-dir", folder, "--sut", TRUE, "--out", out, "--db", db, "--run-id", "a", "--name", "first"]
    call("completion", "codev", *words)
    predictions = (out / FULL / "predictions" / "sim_truth_time=virtual.jsonl").read_bytes()
    with closing(Store.open(db)) as store, store.transaction():
        store.execute("DELETE FROM scorings WHERE answer_id <= 2")
        store.execute("DELETE FROM streams WHERE answer_id = 1")
        store.execute("DELETE FROM answers WHERE answer_id = 1")

    done = call("completion", "codev", *words)

    assert done.code == 0
    assert "run a resumes with 4 valid attempts" in done.err
    asked = "SELECT count(*) AS answers, count(DISTINCT lane_id) AS lanes FROM answers WHERE outcome = 'answered'"
    with closing(Store.open(db)) as store:
        assert [tuple(row) for row in store.rows(asked)] == [(6, 6)]
        assert [row["name"] for row in store.rows("SELECT name FROM runs")] == ["first"]
    again = (out / FULL / "predictions" / "sim_truth_time=virtual.jsonl").read_bytes()
    assert [json.loads(line)["response"] for line in again.splitlines()] == [
        json.loads(line)["response"] for line in predictions.splitlines()
    ]


def test_a_run_is_reported_and_rescored_and_not_replayed(call: Call, folder: Path, tmp_path: Path) -> None:
    db = ("--db", tmp_path / "evals.db")
    suts = f"{TRUE},sim/wrong?time=virtual"
    call("completion", "codev", "--codev-dir", folder, "--sut", suts, "--out", tmp_path / "out", *db)

    reported = json.loads(call("report", "latest", *db, "--json").out)
    rescored = json.loads(call("rescore", "latest", "--metric", "es-token", *db, "--json").out)
    replayed = call("replay", "--run-id", "latest", *db)

    assert (reported["suite"], reported["variants"][0]["outcomes"]) == ("codev", {"untested": 6})
    right, wrong = (one["scores"]["es-token"]["estimate"] for one in rescored["variants"])
    assert (right, wrong < 1) == (1, True)
    assert (replayed.code, replayed.out) == (2, "")
    assert "Codev-Bench reads answers in one way" in replayed.err


@pytest.mark.parametrize("words", [[], ["--family", "starcoder2", "--codev-dir", "x"]], ids=["neither", "both"])
def test_prompts_are_of_a_family_or_of_codev_bench(call: Call, words: list[str]) -> None:
    done = call("completion", "prompts", SHELF, *words)

    assert (done.code, done.err) == (2, "evals: --family: give either it, such as qwen2.5-coder, or --codev-dir\n")


@pytest.mark.wide
def test_truths_of_our_own_tasks_pass_as_codev_bench_reads_them(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "codev"
    write_repository(folder / "Source_Code_Copy")
    write_dataset(Dataset(ORIGIN, {"pair.py": CODE}, OWN[:3]), tmp_path / "own.jsonl")
    words = ["--codev-dir", folder, "--sut", TRUE, "--check-unittest", "--out", tmp_path / "out"]

    exported = call("completion", "prompts", tmp_path / "own.jsonl", "--codev-dir", folder)
    done = call("completion", "codev", *words, "--db", tmp_path / "x.db", "--json")

    assert (exported.code, done.code) == (0, 0)
    assert f"{CUT}.jsonl: 1 tasks" in exported.err
    steps = {one["scene"]: one["steps"] for one in json.loads(done.out)}
    assert steps.keys() == {FULL, CUT, EMPTY}
    passed = {"n_all": 1, "n_pass": 1}
    assert all(one == passed for step in steps.values() for one in step.values())
