"""`evals report`: one run or several, as a page, and as gates that give an exit code."""

import json
from contextlib import closing
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

from runner.records import Outcome
from runner.storage.store import Store
from tests.runner.cli.conftest import Call
from tests.runner.made_runs import Made, make_run, plan
from tests.runner.pages.made_pages import three_models

GATE = ("--fail-under", "right=70%")


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Two runs of three models; the later one is worse."""
    path = tmp_path / "evals.db"
    with closing(Store.open(path)) as store:
        three_models(store, "old", right=(12, 12, 11))
        three_models(store, "new", right=(12, 9, 1))
    return path


def test_a_page_is_written_in_place_of_the_report(db: Path, tmp_path: Path, call: Call) -> None:
    done = call("report", "new", "--html", tmp_path / "page.html", "--db", db)

    assert (done.code, done.out) == (0, "")
    assert done.err.startswith(f"{tmp_path / 'page.html'}: ")
    assert (tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_several_runs_are_reported_one_after_the_other(db: Path, call: Call) -> None:
    shown = call("report", "new", "old", "--db", db)
    data = json.loads(call("report", "new", "old", "--json", "--db", db).out)

    assert shown.out.index("diff_edit run new (complete") < shown.out.index("diff_edit run old (complete")
    assert [run["run_id"] for run in data] == ["new", "old"]
    assert json.loads(call("report", "new", "--json", "--db", db).out)["run_id"] == "new"


def test_a_missed_gate_is_exit_code_1_and_says_by_how_much(db: Path, call: Call) -> None:
    done = call("report", "new", *GATE, "--db", db)

    assert done.code == 1
    assert "passed: --fail-under right=70%: run new, test/b, basic, v4: right 75.0% [" in done.err
    assert "failed: --fail-under right=70%: run new, test/c, basic, v4: right 8.3% [" in done.err
    assert "diff_edit run new" in done.out


def test_a_gate_that_all_reach_is_exit_code_0(db: Path, call: Call) -> None:
    assert call("report", "new", "--fail-under", "right=0%", "--db", db).code == 0


def test_a_regression_against_a_baseline_is_exit_code_1(db: Path, call: Call) -> None:
    words = ("report", "new", "--baseline", "old", "--db", db, "--max-regression")

    assert call(*words, "right=3pp").code == 1
    assert call(*words, "right=99pp").code == 0


@pytest.mark.parametrize(
    "change, message",
    [
        pytest.param(
            "UPDATE runs SET config = json_set(config, '$.identity.measure', 1) WHERE run_id = 'old'",
            "runs are of different versions of the measure (old by 1, new by None); compare runs of one version",
            id="measure",
        ),
        pytest.param(
            "UPDATE runs SET suite = 'edit' WHERE run_id = 'old'",
            "runs old, new: are of edit and diff_edit; compare runs of one suite",
            id="suite",
        ),
    ],
)
def test_a_baseline_that_cannot_be_compared_is_refused(db: Path, call: Call, change: str, message: str) -> None:
    with closing(Store.open(db)) as store:
        store.execute(change)

    done = call("report", "new", "--baseline", "old", "--max-regression", "right=3pp", "--db", db)

    assert (done.code, done.out) == (2, "")
    assert done.err == f"evals: {message}\n"


def test_an_inconclusive_gate_warns_and_fails_if_strict(db: Path, call: Call) -> None:
    words = ("report", "old", "--baseline", "old", "--max-regression", "right=3pp", "--db", db)

    warned, failed = call(*words), call(*words, "--strict")

    assert (warned.code, failed.code) == (0, 1)
    assert "inconclusive: --max-regression right=3pp: run old, test/a, basic, v4: right +0 points [" in warned.err


def test_gates_are_in_the_data_and_in_a_junit_file(db: Path, tmp_path: Path, call: Call) -> None:
    done = call("report", "new", *GATE, "--json", "--junit", tmp_path / "junit.xml", "--db", db)

    gates = json.loads(done.out)["gates"]
    assert {(gate["variant"], gate["verdict"]) for gate in gates} >= {
        ("test/a, basic, v4", "passed"), ("test/c, basic, v4", "failed"),
    }  # fmt: skip
    root = fromstring((tmp_path / "junit.xml").read_bytes())  # noqa: S314 - our own file
    assert root.attrib["tests"] == str(len(gates))


def test_github_gets_annotations_and_a_summary_and_no_command_of_others(
    db: Path, tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Store.open(db)) as store:
        make_run(store, "bad", plan(["::error::forged"]), utc="2027-01-01T00:00:00.000")
        made = Made(store, "bad")
        made.scoring(made.answer(made.lane("::error::forged")), Outcome.NO_MATCH, equals_expected=False)
        made.answer(made.lane("::error::forged", state="capped"), 2, None, outcome="timeout")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))

    done = call("report", "bad", "--fail-under", "valid=100%", "--fail-under", "applied=50%", "--github", "--db", db)

    lines = done.out.splitlines()
    assert lines[0].startswith("::stop-commands::")
    token = lines[0].removeprefix("::stop-commands::")
    resumed = lines.index(f"::{token}::")
    commands = [at for at, line in enumerate(lines) if line.startswith(("::error", "::warning"))]
    assert [at for at in commands if at > resumed] == [resumed + 1, resumed + 2]
    assert "applied=50%" in (tmp_path / "summary.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "words, reason",
    [
        pytest.param(("--max-regression", "right=3pp"), "name it with --baseline", id="no baseline"),
        pytest.param(("--baseline", "old"), "--baseline: is for --max-regression", id="no limit"),
        pytest.param(("--strict",), "--strict: there is no gate", id="strict alone"),
        pytest.param(("--junit", "x.xml"), "--junit: there is no gate", id="junit alone"),
        pytest.param((*GATE, "--github", "--json"), "--github: prints annotations to stdout", id="github and json"),
        pytest.param(("--html", "x.html", "--edits", "1"), "--edits: a page shows all attempts", id="page of some"),
        pytest.param(("--html", "x.html", "--json"), "--html: takes the place of --json", id="page and data"),
        pytest.param(("--fail-under", "right=much"), "is no figure with a limit", id="no limit to read"),
        pytest.param(("--fail-under", "nope=1"), "run new has no such figure; it has right", id="no such figure"),
    ],
)
def test_options_that_do_not_fit_are_one_line_and_nothing_is_written(
    db: Path, call: Call, words: tuple[str, ...], reason: str, project: Path
) -> None:
    done = call("report", "new", *words, "--db", db)

    assert (done.code, done.out) == (2, "")
    assert reason in done.err
    assert done.err.count("\n") == 1
    assert list(project.iterdir()) == []


def test_pages_of_runs_of_different_suites_are_refused(db: Path, tmp_path: Path, call: Call) -> None:
    with closing(Store.open(db)) as store:
        make_run(store, "other", plan(suite="edit"))

    done = call("report", "new", "other", "--html", tmp_path / "page.html", "--db", db)

    assert done.code == 2
    assert "are of diff_edit and edit; compare runs of one suite" in done.err
    assert not (tmp_path / "page.html").exists()
