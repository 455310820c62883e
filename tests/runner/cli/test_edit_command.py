"""`evals edit`: from problems to a study, and one line about whatever is wrong."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.runner.cli.conftest import Call

ROOT = Path(__file__).parents[3]
SHIPPED = ROOT / "cases" / "edit" / "problems.jsonl"
MODEL = "sim/any?applied=0.5&time=virtual"
GOOD = {
    "problem": "double",
    "lang": "python",
    "origin": "def double(x):\n    return x\n",
    "instruction": "Double it.",
    "reference": "def double(x):\n    return x + x\n",
    "test": "assert double(2) == 4",
}


@pytest.mark.wide
def test_problems_are_asked_judged_exported_and_studied(call: Call, tmp_path: Path) -> None:
    db, folder = tmp_path / "evals.db", tmp_path / "study"

    ran = call("edit", "run", SHIPPED, "--sut", MODEL, "-n", 2, "--max-problems", 2, "--db", db, "--run-id", "r1")
    exported = call("edit", "export", "--run-id", "r1", "--out", folder, "--db", db)
    studied = call("study", folder, "--metrics", "exact,es-token", "--draws", 50, "--json")

    assert (ran.code, exported.code, studied.code) == (0, 0, 0)
    assert "pass@2" in ran.out
    assert "simulated: no number here is a real model's" in ran.out
    assert "2 problems, 4 answers in" in exported.err
    told = json.loads(studied.out)
    assert told["problems"] == 2
    assert told["subsets"]["all"] == 4


def test_a_run_is_told_as_data(call: Call, tmp_path: Path) -> None:
    words = ["--sut", "sim/any?time=virtual", "--max-problems", 1, "--prompts", "basic", "--json"]

    done = call("edit", "run", SHIPPED, *words, "--db", tmp_path / "evals.db")

    data = json.loads(done.out)
    assert done.code == 0
    assert data["suite"] == "edit"
    assert data["tests"][0]["pass_at"] == {"1": 1.0}
    assert data["tests"][0]["verdicts"] == {"pass": 1}


@pytest.mark.wide
def test_what_was_planted_is_told_beside_what_was_found(call: Call, tmp_path: Path) -> None:
    models = "sim/any?valid=0.8&applied=0.5&time=virtual,sim/any?applied=1&time=virtual"
    words = ["--sut", models, "--max-problems", 1, "-n", 3, "--prompts", "edit/whole-file,basic"]

    told = call("edit", "run", SHIPPED, *words, "--db", tmp_path / "evals.db")
    done = call("edit", "run", SHIPPED, *words, "--json", "--db", tmp_path / "again.db")

    data = json.loads(done.out)
    found = {(one["sut"], one["prompt"]): (one["answers"], one["verdicts"].get("pass", 0)) for one in data["tests"]}
    assert {(one["sut"], one["prompt"]): (one["answers"], one["right"]) for one in data["expected"]} == found
    assert len(found) == 4
    assert (
        f"simulated to be right: 3 of 3 valid answers of {models.partition(',')[2]} by basic ({{'applied': 3}})"
        in told.err
    )


def test_other_commands_show_a_run_of_this_suite(call: Call, tmp_path: Path) -> None:
    db = tmp_path / "evals.db"
    call("edit", "run", SHIPPED, "--sut", "sim/any?applied=0&time=virtual", "--max-problems", 1, "--db", db)

    reported = call("report", "latest", "--db", db)
    shown = call("show", "latest", "merge-intervals", "--db", db)
    in_full = call("show", "latest", "merge-intervals", "--full", "--db", db)
    exported = call("export", "latest", "--db", db)

    assert (reported.code, shown.code, in_full.code, exported.code) == (0, 0, 0, 0)
    assert shown.out.startswith("! wrong: unsolved ")
    assert "\n  fail: AssertionError" in shown.out
    assert "The file answer.py:" in in_full.out
    assert "-- error\nfail: AssertionError" in in_full.out
    assert json.loads(exported.out)["detail"]["verdict"] == "fail"


def test_good_problems_are_proved(call: Call) -> None:
    done = call("edit", "check", SHIPPED)

    assert done.code == 0
    assert f"10 problems can be read, 0 findings in {SHIPPED}" in done.out


def test_what_a_killed_run_has_left_is_removed_by_the_next(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    program = (
        "import tempfile; from runner.execution.stale_dirs import prefix; "
        "print(tempfile.mkdtemp(prefix=prefix('judge')))"
    )
    words = [sys.executable, "-c", program]
    made = subprocess.run(words, capture_output=True, text=True, check=True, env={"TMPDIR": str(tmp_path)}).stdout
    path = tmp_path / "problems.jsonl"
    path.write_text(json.dumps(GOOD))

    assert call("edit", "check", path).code == 0

    assert (Path(made.strip()).parent, [*tmp_path.iterdir()]) == (tmp_path, [path])


@pytest.mark.parametrize("command", [("check",), ("run", "--sut", MODEL)])
def test_each_bad_problem_is_one_line_and_the_code_is_2(call: Call, tmp_path: Path, command: tuple[str, ...]) -> None:
    path = tmp_path / "problems.jsonl"
    rows = ["{", json.dumps(GOOD | {"instruction": ""}), json.dumps(GOOD | {"test": "double(2)"})]
    path.write_text("\n".join(rows))
    verb, *words = command

    done = call("edit", verb, path, *words)

    assert done.code == 2
    lines = done.out.splitlines()[:-1] if verb == "check" else done.err.splitlines()
    # A run proves problems only after all of them can be read; a check does both at once.
    wrong = (1, 2, 3) if verb == "check" else (1, 2)
    assert [line.removeprefix("evals: ").split(": ")[0] for line in lines] == [f"{path}:{number}" for number in wrong]


def test_a_run_refuses_problems_that_their_tests_do_not_prove(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "problems.jsonl"
    path.write_text(json.dumps(GOOD | {"test": "double(2)"}))

    done = call("edit", "run", path, "--sut", MODEL, "--db", tmp_path / "evals.db")

    assert done.code == 2
    assert "its origin passes its test" in done.err


def test_stored_answers_are_scored_again_by_other_algorithms_and_new_files_are_judged(
    call: Call, tmp_path: Path
) -> None:
    db = tmp_path / "evals.db"
    words = ["--max-cases", 2, "-n", 2, "--prompts", "basic,edit/whole-file", "--db", db]
    call("edit", "run", SHIPPED, "--sut", "sim/any?applied=0.6&drift=0.5&time=virtual", *words)

    done = call("replay", "--run-id", "latest", "--diff-apply", "v1,v4", "--json", "--db", db)
    files = call("replay", "--run-id", "latest", "--parser", "nobody", "--db", db)

    data = json.loads(done.out)
    assert (done.code, data["answers"]) == (0, 8)
    v4 = next(row for row in data["comparisons"] if row["diff_algorithm"] == "v4")
    assert (v4["table"]["first_only"], v4["table"]["second_only"]) == (0, 0)
    assert {row["prompt"] for row in data["summary"]["tests"]} == {"basic", "edit/whole-file"}
    assert files.code == 2
    assert "--parser: 'nobody' is not known" in files.err


def test_answers_that_are_whole_files_have_nothing_to_vary(call: Call, tmp_path: Path) -> None:
    db = tmp_path / "evals.db"
    call("edit", "run", SHIPPED, "--sut", "sim/any?time=virtual", "--max-cases", 1, "--db", db)

    done = call("replay", "--run-id", "latest", "--diff-apply", "v1", "--db", db)

    assert done.code == 2
    assert "its answers are whole files" in done.err


def test_results_are_scored_by_further_metrics(call: Call, tmp_path: Path) -> None:
    db = tmp_path / "evals.db"
    call("edit", "run", SHIPPED, "--sut", "sim/any?applied=1&time=virtual", "--max-cases", 1, "--db", db)

    done = call("rescore", "latest", "--metric", "chrf", "--json", "--db", db)

    assert done.code == 0
    assert json.loads(done.out)["variants"][0]["scores"]["chrf"]["estimate"] > 0.5


def test_a_dry_run_tells_the_bound_on_the_cost_as_data(call: Call, tmp_path: Path) -> None:
    words = ["--sut", "sim/careful", "--max-cases", 2, "-n", 3, "--dry-run", "--json"]

    done = call("edit", "run", SHIPPED, *words, "--db", tmp_path / "evals.db")

    data = json.loads(done.out)
    assert (done.code, data["attempts"], data["most_attempts"]) == (0, 6, 60)
    assert 0 < data["estimated_usd"] < data["bound_usd"]


def test_findings_are_told_as_data(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "problems.jsonl"
    path.write_text(json.dumps(GOOD | {"reference": "x"}))

    done = call("edit", "check", path, "--json")

    data = json.loads(done.out)
    assert (done.code, data["problems"], len(data["findings"])) == (2, 1, 1)


@pytest.mark.parametrize(
    "words, told",
    [
        pytest.param(["--sut", "sim/nobody"], "--model-ids: sim/nobody: no simulated model", id="model"),
        pytest.param([], "--model-ids: is missing", id="no model"),
        pytest.param(["--sut", MODEL, "--prompts", "poem"], "--prompts: no prompt is called 'poem'", id="prompt"),
        pytest.param(["--sut", MODEL, "--diff-apply", "v9"], "--diff-apply: 'v9' is not known", id="algorithm"),
        pytest.param(["--sut", MODEL, "--command", "js"], "--command: 'js' is not LANG=WORDS", id="command"),
    ],
)
def test_a_bad_option_is_one_line(call: Call, tmp_path: Path, words: list[str], told: str) -> None:
    db = tmp_path / "evals.db"

    done = call("edit", "run", SHIPPED, "--max-problems", 1, *words, "--db", db)

    assert done.code == 2
    assert told in done.err.splitlines()[-1]
    assert not db.exists()


def test_a_dry_run_asks_nobody(call: Call, tmp_path: Path) -> None:
    db = tmp_path / "evals.db"

    done = call("edit", "run", SHIPPED, "--sut", MODEL, "--max-problems", 2, "-n", 3, "--dry-run", "--db", db)

    assert done.code == 0
    assert "1 systems, 2 cases: 6 valid attempts, at most 60 attempts, 1 at once" in done.err
    assert not db.exists()


def test_an_export_needs_a_run(call: Call, tmp_path: Path) -> None:
    done = call("edit", "export", "--out", tmp_path / "study", "--db", tmp_path / "absent.db")

    assert done.code == 2
    assert "no such database" in done.err
