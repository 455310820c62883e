"""What a run of `evals nextedit` leaves on record: what was asked, in which order, and what follows from it."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from runner.cli import app
from runner.cli.nextedit_variables import NAMES
from runner.errors import InputError
from tests.nextedit import cases_folder, few_cases

CASE = cases_folder() / "knobs-ef8ee13de7.json"
MODEL = "sim/careful?ttft_ms=0&gap_ms=0&time=virtual"


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def call(*words: object) -> Result:
    done = CliRunner().invoke(app, [*(str(word) for word in words), "--db", "x.db"])
    assert done.exit_code == 0, done.output
    return done


def replayed(*words: object, cases: Path = CASE) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(call("nextedit", "--cases", cases, "--json", "--yes", *words).stdout)
    return found


class TestQuestions:
    @pytest.mark.parametrize("leak, told", [("none", False), ("files", False), ("message", True)])
    def test_what_a_model_was_told_is_on_record(self, leak: str, told: bool) -> None:
        run_id = replayed("--sut", MODEL, "--leak", leak)["run_id"]

        exported = [json.loads(line) for line in call("export", run_id).stdout.splitlines()]

        message = json.loads(CASE.read_text())["message"].strip()
        texts = [record["request"]["messages"][0]["text"] for record in exported]
        assert len(set(texts)) > 1
        assert {message in text for text in texts} == {told}
        assert {len(record["request"]["messages"]) for record in exported} == {1}

    def test_it_is_shown_with_its_answer(self) -> None:
        replayed("--sut", MODEL, "--run-id", "one")
        exported = [json.loads(line) for line in call("export", "one").stdout.splitlines()]

        shown = call("show", "one", CASE.stem, "--json")

        found = json.loads(shown.stdout)
        assert [each["messages"] for each in found] == [each["request"]["messages"] for each in exported]


class TestMeasure:
    """Runs of another version of the measure open, and are compared, reported and resumed as what they are."""

    @pytest.fixture(autouse=True)
    def _former(self) -> None:
        for name in ("former", "present"):
            replayed("--sut", "rules,silent", "--run-id", name)
        with closing(sqlite3.connect("x.db")) as connection, connection:
            connection.execute(
                "UPDATE runs SET config = json_remove(config, '$.identity.measure') WHERE run_id = 'former'"
            )
            connection.execute(
                "UPDATE variants SET signature = replace(signature, 'nextedit@2', 'nextedit') WHERE run_id = 'former'"
            )
            connection.execute("DELETE FROM _sqlite_migrations WHERE name = 'm010_measure'")

    def test_its_version_is_in_the_signature(self) -> None:
        call("report", "former")

        with closing(sqlite3.connect("x.db")) as connection:
            rows = connection.execute("SELECT run_id, signature FROM variants WHERE sut = 'rules'").fetchall()
        assert {run_id: signature.partition("|")[0] for run_id, signature in rows} == {
            "former": "nextedit@1", "present": "nextedit@2"
        }  # fmt: skip

    @pytest.mark.parametrize(
        "words, problem",
        [
            (
                ("compare", "former", "present"),
                "runs are of different versions of the measure (former by 1, present by 2)",
            ),
            (
                ("nextedit", "--cases", CASE, "--sut", "rules,silent", "--run-id", "former"),
                "--run-id former: was measured by version 1 of the measure, and this program measures by version 2",
            ),
        ],
    )
    def test_it_is_refused_beside_runs_of_this_version(self, words: tuple[object, ...], problem: str) -> None:
        done = CliRunner().invoke(app, [*(str(word) for word in words), "--db", "x.db"])

        assert isinstance(done.exception, InputError)
        assert str(done.exception).startswith(f"{problem}; ")
        assert "\n" not in str(done.exception)

    def test_its_report_shows_what_was_scored_then(self) -> None:
        done = call("report", "former", "--json")

        assert "was measured by version 1 of the measure" in done.stderr
        report = json.loads(done.stdout)
        assert report["nextedit"] == {}
        assert {each["sut"]: "precision" in each["scores"] for each in report["variants"]} == {
            "rules": True, "silent": True
        }  # fmt: skip
        assert "measure 1, order graph" in call("report", "former").stdout
        assert "nextedit" in json.loads(call("report", "present", "--json").stdout)

    def test_runs_of_one_version_are_compared(self) -> None:
        assert json.loads(call("compare", "former", "--json").stdout)["runs"] == ["former"]

    def test_its_answers_are_not_read_again(self) -> None:
        replayed("--sut", MODEL, "--run-id", "model")
        change_config(lambda config: config["identity"].update(measure=1), "model")

        done = CliRunner().invoke(app, ["replay", "--run-id", "model", "--diff-apply", "v1", "--db", "x.db"])

        assert isinstance(done.exception, InputError)
        assert str(done.exception).startswith("run model: was measured by version 1 of the measure")


def change_config(change: Callable[[dict[str, Any]], object], run_id: str = "%") -> None:
    """Change what a run says of itself, by default the only run of the database."""
    with closing(sqlite3.connect("x.db")) as connection:
        ((config,),) = connection.execute("SELECT config FROM runs WHERE run_id LIKE ?", (run_id,)).fetchall()
        told = json.loads(config)
        change(told)
        connection.execute("UPDATE runs SET config = ? WHERE run_id LIKE ?", (json.dumps(told), run_id))
        connection.commit()


def as_before_edges_were_kept(order: str) -> Callable[[dict[str, Any]], None]:
    def change(config: dict[str, Any]) -> None:
        config["identity"]["order"] = order
        del config["settings"]["edges"]

    return change


class TestOrders:
    def test_a_run_keeps_the_edges_that_the_rules_gave(self) -> None:
        replayed("--sut", "silent", "--run-id", "one")

        found: dict[str, Any] = {}
        change_config(found.update)

        assert found["identity"]["order"].startswith("graph@")
        assert list(found["settings"]["edges"]) == [CASE.stem]
        assert found["settings"]["edges"][CASE.stem]

    def test_a_run_is_read_again_by_its_own_order_whatever_the_rules_have_become(self) -> None:
        before = replayed("--sut", MODEL)["systems"][MODEL]
        change_config(lambda config: config["identity"].update(order="graph@of-other-rules"))

        again = json.loads(call("replay", "--run-id", "latest", "--diff-apply", "v4", "--json").stdout)["summary"]

        assert again["nextedit"][f"{MODEL} v4"]["figures"] == before["figures"]

    def test_a_run_without_edges_is_read_again_where_the_rules_have_not_changed(self) -> None:
        before = replayed("--sut", MODEL)["systems"][MODEL]
        change_config(as_before_edges_were_kept("graph"))

        again = json.loads(call("replay", "--run-id", "latest", "--diff-apply", "v4", "--json").stdout)["summary"]

        assert again["nextedit"][f"{MODEL} v4"]["figures"] == before["figures"]

    @pytest.mark.wide
    def test_answers_are_not_read_in_states_that_they_were_not_given_in(self) -> None:
        before = replayed("--sut", f"{MODEL},rules", cases=cases_folder())["systems"]
        change_config(as_before_edges_were_kept("none"))

        done = call("replay", "--run-id", "latest", "--diff-apply", "v4", "--json")

        assert "replays are left out: what may come next has changed since" in done.stderr
        # Where a commit's edits all have to do with each other, everything is allowed by either order.
        again = json.loads(done.stdout)["summary"]["nextedit"]
        assert all(again[f"{MODEL} v4"]["commits"] < each["commits"] for each in before.values())


class TestReports:
    def test_a_report_shows_the_figures_of_the_replays(self) -> None:
        asked = replayed("--sut", f"oracle,silent,rules,{MODEL}", cases=few_cases(Path("few")))

        report = json.loads(call("report", asked["run_id"], "--json").stdout)

        assert report["nextedit"] == asked["systems"]
        by_name = {each["sut"]: each["scores"] for each in report["variants"]}
        for name, told in asked["systems"].items():
            for metric, interval in by_name[name].items():
                assert list(interval.values()) == told["figures"][metric]["macro"]
        assert by_name["oracle"]["precision"]["estimate"] == 1
        assert by_name["silent"]["precision"]["estimate"] == 0

    def test_it_shows_the_same_tables(self) -> None:
        run_id = replayed("--sut", "oracle,silent")["run_id"]

        shown = call("nextedit", "--cases", CASE, "--sut", "oracle,silent", "--run-id", run_id).stdout

        report = call("report", run_id).stdout
        rows = [line.split() for line in shown.splitlines() if "oracle" in line.split()[:2]]
        assert len(rows) == 11
        assert all(row in [line.split() for line in report.splitlines()] for row in rows)

    def test_reading_a_run_leaves_its_calls_in_flight(self) -> None:
        run_id = replayed("--sut", "silent")["run_id"]
        with closing(sqlite3.connect("x.db")) as connection:
            connection.execute("UPDATE answers SET outcome = 'in_flight', text_id = NULL WHERE step = 1")
            connection.commit()

        done = call("report", run_id)

        with closing(sqlite3.connect("x.db")) as connection:
            assert connection.execute("SELECT count(*) FROM answers WHERE outcome = 'in_flight'").fetchone()[0] > 0
        assert "replays are left out" in done.stderr


class TestOmissions:
    @pytest.fixture
    def case(self, tmp_path: Path) -> Path:
        content = json.loads(CASE.read_text()) | {"omitted": {"logo.png": "binary", "x": "link"}}
        (tmp_path / "case.json").write_text(json.dumps(content))
        return tmp_path / "case.json"

    def test_files_left_out_are_told_with_their_reasons(self, case: Path) -> None:
        told = replayed("--sut", "silent", cases=case)

        assert told["omitted"] == {CASE.stem: {"logo.png": "binary", "x": "link"}}
        assert json.loads(call("report", told["run_id"], "--json").stdout)["omitted"] == told["omitted"]

    def test_people_are_told_too(self, case: Path) -> None:
        shown = call("nextedit", "--cases", case, "--sut", "silent").stdout

        note = f"files left out, binary: 1 (logo.png of {CASE.stem})"
        assert note in shown
        assert note in call("report").stdout


def test_the_originals_rules_give_json_too() -> None:
    words = ("--cases", cases_folder(), "--sut", "oracle,silent", "--compat", "historian", "--json")
    done = CliRunner().invoke(app, ["nextedit", *(str(word) for word in words)])

    told = json.loads(done.stdout)
    assert told.keys() == {"run_id", "systems", "not_replayed", "omitted"}
    assert told["systems"]["oracle"]["commits"] == 11
    assert told["systems"]["oracle"]["figures"]["recall"]["micro"][0] == 1
    assert told["systems"]["silent"]["figures"]["recall"]["micro"][0] == 0
    assert {each["system"] for each in told["not_replayed"]} == {"oracle", "silent"}
    assert any(each["detail"].startswith("not a source file") for each in told["not_replayed"])


class TestAnalysis:
    """What steps are about: in the report on request, in JSON and on the page always, and one by one in `show`."""

    @pytest.fixture(autouse=True)
    def _run(self) -> None:
        call("nextedit", "--cases", CASE, "--sut", "rules,silent,random")

    def test_the_deeper_tables_are_printed_on_request(self) -> None:
        short = call("report").stdout
        whole = call("report", "--all-tables").stdout

        titles = ("steps by language", "steps by kind of edit", "steps by edit made", "steps by step")
        assert [title for title in titles if f"\n{title}:" not in whole] == []
        assert [title for title in titles if f"\n{title}:" in short] == []
        assert "more tables (steps by language, " in short

    def test_json_and_the_page_have_them(self, tmp_path: Path) -> None:
        data = json.loads(call("report", "--json").stdout)
        call("report", "--html", str(tmp_path / "page.html"))

        assert data["nextedit"]["rules"]["steps_by"].keys() == {"language", "kind of edit", "edit made", "step"}
        assert "Next edit by step" in (tmp_path / "page.html").read_text()

    def test_a_wrong_step_is_shown_beside_the_nearest_edit(self) -> None:
        wrong = call("show", "--outcome", "unsolved", "--model", "random").stdout
        silent = call("show", "--model", "silent").stdout

        assert "\n  nearest edit that remains (" in wrong
        assert "\n  stated that nothing is left to do; may come next:\n" in silent
