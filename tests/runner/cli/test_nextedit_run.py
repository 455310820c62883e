"""`evals nextedit` as a run like any other: planned without asking, named, bounded, replayed, and rescored or not."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from runner.cli import app
from runner.cli.nextedit_variables import NAMES
from runner.errors import InputError
from tests.nextedit import cases_folder
from tests.repositories import make_repository

EVALS = Path(sys.executable).parent / "evals"
CASE = cases_folder() / "knobs-ef8ee13de7.json"
MODEL = "sim/careful?ttft_ms=0&gap_ms=0&time=virtual"
PAID = "openai/gpt-4o-mini"
BEFORE = {"a.rs": b"fn a() {}\n", "b.py": b"x = 1\n"}
AFTER = {"a.rs": b"fn b() {}\n", "b.py": b"y = 2\n"}


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in (*NAMES, "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def call(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def refused(*words: object) -> str:
    error = call(*words).exception
    assert isinstance(error, InputError)
    return str(error)


def asked(*words: object) -> dict[str, Any]:
    done = call("nextedit", "--cases", CASE, "--json", "--yes", *words)
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def rows(sql: str, *values: object) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect("evals.db")) as connection:
        return connection.execute(sql, values).fetchall()


class TestDryRuns:
    def test_the_cost_is_bounded_without_a_key_and_nothing_is_written(self) -> None:
        done = call("nextedit", "--cases", CASE, "--sut", f"{PAID},rules", "--dry-run", "--json")

        told = json.loads(done.stdout)
        assert done.exit_code == 0
        assert 0 < told["estimated_usd"] < told["bound_usd"]
        assert (told["local"], told["attempts"], told["most_attempts"]) == (["rules"], 2, 2)
        assert list(Path().iterdir()) == []

    def test_no_module_is_run(self, tmp_path: Path) -> None:
        module = tmp_path / "module" / "main.py"
        module.parent.mkdir()
        module.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\ndef main(payload):\n    return {{}}\n")

        done = call("nextedit", "--cases", CASE, "--sut", f"historian:{module}", "--log-dir", "logs", "--dry-run")

        assert done.exit_code == 0
        assert (
            f"historian:{module}: may ask models at a cost of its own; --budget counts what it reports" in done.stderr
        )
        assert not (tmp_path / "ran").exists()
        assert not Path("logs").exists()

    def test_a_model_that_orders_edits_is_in_the_bound_too(self) -> None:
        words = ("nextedit", "--cases", cases_folder(), "--sut", "rules", "--dry-run", "--json")

        by_rules = json.loads(call(*words).stdout)
        by_model = json.loads(call(*words, "--order", f"llm:{PAID}").stdout)

        assert by_rules["bound_usd"] == 0
        assert by_model["bound_usd"] > 0
        assert [each["name"] for each in by_model["systems"]] == [PAID]
        assert f"{PAID} is asked at most" in by_model["notes"][0]

    def test_the_bound_holds_what_a_run_costs(self) -> None:
        planned = json.loads(call("nextedit", "--cases", CASE, "--sut", MODEL, "--dry-run", "--json").stdout)

        asked("--sut", MODEL)

        ((cost,),) = rows("SELECT sum(list_cost_usd) FROM answers")
        assert 0 < cost < planned["bound_usd"]

    def test_the_largest_prompt_is_named_and_none_is_larger(self) -> None:
        planned = json.loads(call("nextedit", "--cases", CASE, "--sut", MODEL, "--dry-run", "--json").stdout)
        asked("--sut", MODEL)
        smaller = json.loads(
            call("nextedit", "--cases", CASE, "--sut", MODEL, "--max-context", 12_000, "--dry-run", "--json").stdout
        )

        named = [int(note.split()[3].replace(",", "")) for note in (planned["notes"][-1], smaller["notes"][-1])]

        ((largest,),) = rows("SELECT max(input_tokens) FROM answers")
        assert planned["notes"][-1].endswith(f"tokens, at {CASE.stem}; --max-context TOKENS limits it")
        assert largest <= named[0]
        assert smaller["bound_usd"] <= planned["bound_usd"]

    def test_no_prompt_is_larger_than_is_permitted(self) -> None:
        large = cases_folder() / "gleaner-61f631d6b1.json"
        words = ("nextedit", "--cases", large, "--sut", MODEL, "--yes", "--db", "evals.db")
        refusal = refused(*words, "--max-context", 100)
        least = int(refusal.split()[-1])

        call(*words, "--max-context", least + 400)

        ((largest,),) = rows("SELECT max(input_tokens) FROM answers")
        texts = [json.loads(line) for line in call("export", "--db", "evals.db").stdout.splitlines()]
        assert refusal.startswith("--max-context 100: leaves no room beside the system prompt nextedit/basic;")
        assert largest <= least + 400
        assert any(" are left out]\n" in record["request"]["messages"][0]["text"] for record in texts)

    def test_nothing_is_cloned(self) -> None:
        Path("list.json").write_text('{"python": [{"commit_url": "file:///nowhere/o/tool/commit/abc"}]}')
        words = ("--testset", "list.json", "--repos-dir", "repos", "--clone", "--dry-run")

        assert "no commit can be replayed: no_repository 1" in refused("nextedit", *words)
        assert not Path("repos").exists()

    def test_the_originals_rules_have_no_plan(self) -> None:
        assert "--dry-run" in refused("nextedit", "--cases", CASE, "--compat", "historian", "--dry-run")


class TestSharedOptions:
    def test_a_run_has_its_name_and_note_whatever_its_pace(self) -> None:
        pace = (
            "--rpm",
            "100000",
            "--tpm",
            "1e9",
            "--first-byte-timeout",
            "9",
            "--idle-timeout",
            "9",
            "--total-timeout",
            "99",
        )

        run_id = asked("--model-ids", MODEL, "--name", "mine", "--note", "a try", "--budget", "5", *pace)["run_id"]

        assert rows("SELECT name, note FROM runs WHERE run_id = ?", run_id) == [("mine", "a try")]

    def test_attempts_are_saved_locally(self) -> None:
        asked("--sut", MODEL, "--save-locally", "saved")

        assert [path.name for path in Path("saved").iterdir()] == [f"{CASE.stem}.json"]

    @pytest.mark.parametrize("option", ["--valid-attempts-per-case", "--max-attempts-per-case"])
    def test_a_commit_is_replayed_once(self, option: str) -> None:
        assert refused("nextedit", "--cases", CASE, option, "2").startswith(f"{option}: ")

    def test_a_spent_budget_leaves_a_run_that_can_go_on(self) -> None:
        words = ("nextedit", "--cases", CASE, "--sut", MODEL, "--run-id", "mine", "--json", "--max-tokens", "1")

        short, done = call(*words, "--budget", "0.002"), call(*words)

        assert (short.exit_code, done.exit_code) == (3, 0)
        asked_once = rows(
            "SELECT count(*), count(DISTINCT step || mode || number) FROM answers WHERE outcome = 'answered'"
        )
        assert asked_once[0][0] == asked_once[0][1]
        assert json.loads(done.stdout)["systems"][MODEL]["commits"] == 1

    @pytest.mark.parametrize(
        "words",
        [
            pytest.param(("--slots", "1", "--prompt", "basic"), id="old-names"),
            pytest.param(("--max-concurrency", "1", "--prompts", "basic"), id="main-names"),
        ],
    )
    def test_options_have_their_old_names_too(self, words: tuple[str, ...]) -> None:
        run_id = asked("--sut", MODEL, *words)["run_id"]

        ((config,),) = rows("SELECT config FROM runs WHERE run_id = ?", run_id)
        assert json.loads(config)["settings"]["slots"] == 1


class TestReplays:
    def test_a_replay_is_a_run_of_its_own_with_a_scoring_of_each_answer_by_each_algorithm(self) -> None:
        source = asked("--sut", f"{MODEL},rules")["run_id"]
        before = rows("SELECT count(*) FROM answers")

        told = json.loads(call("replay", "--run-id", source, "--diff-apply", "v4,v1", "--json").stdout)

        assert rows("SELECT count(*) FROM answers") == before
        by_variant = dict(
            rows(
                "SELECT diff_algorithm, count(*) FROM scorings WHERE run_id = ? GROUP BY diff_algorithm", told["run_id"]
            )
        )
        original = dict(
            rows("SELECT diff_algorithm, count(*) FROM scorings WHERE run_id = ? GROUP BY diff_algorithm", source)
        )
        assert by_variant == {"": original[""], "v4": original["v4"], "v1": original["v4"]}

    def test_the_same_reading_gives_the_same_scorings(self) -> None:
        source = asked("--sut", f"{MODEL},rules")["run_id"]

        again = json.loads(call("replay", "--run-id", source, "--json").stdout)

        sql = """SELECT answer_id, outcome, valid, parser, diff_algorithm, num_edits, detail FROM scorings
            WHERE run_id = ? ORDER BY answer_id"""
        assert rows(sql, source) == rows(sql, again["run_id"])
        assert [each["difference"]["estimate"] for each in again["comparisons"] if each["diff_algorithm"]] == [0]

    def test_the_report_of_a_replay_shows_its_figures_again(self) -> None:
        source = asked("--sut", f"{MODEL},rules")
        told = json.loads(call("replay", "--run-id", source["run_id"], "--diff-apply", "v1", "--json").stdout)

        report = json.loads(call("report", told["run_id"], "--json").stdout)

        assert list(report["nextedit"]) == [f"{MODEL} v1", "rules"]
        assert report["nextedit"] == told["summary"]["nextedit"]
        assert report["nextedit"]["rules"] == source["systems"]["rules"]

    def test_stored_bytes_are_read_again_too(self) -> None:
        source = asked("--sut", MODEL)["run_id"]

        done = call("replay", "--run-id", source, "--from-stream", "--json")

        assert done.exit_code == 0
        assert json.loads(done.stdout)["reread"]

    def test_a_run_that_asked_no_model_has_nothing_to_vary(self) -> None:
        run_id = asked("--sut", "rules,silent")["run_id"]

        assert "asked no model" in refused("replay", "--run-id", run_id, "--diff-apply", "v1")
        assert len(rows("SELECT run_id FROM runs")) == 1


class TestRescoring:
    def test_a_run_of_replays_is_refused_with_the_reason(self) -> None:
        run_id = asked("--sut", MODEL)["run_id"]

        assert "may predict any of several edits" in refused("rescore", run_id)


class TestOrders:
    def test_what_a_model_was_asked_about_is_a_run_with_a_report_and_no_replay(self) -> None:
        make_repository(Path("tool"), BEFORE, AFTER)
        words = ("--repo", "tool", "--rev", "HEAD", "--sut", "silent", "--order", f"llm:{MODEL}", "--json")

        done = call("nextedit", *words)

        ((run_id,),) = rows("SELECT run_id FROM runs WHERE suite = 'relations'")
        assert done.exit_code == 0
        assert json.loads(call("report", run_id, "--json").stdout)["variants"][0]["attempts"] == 1
        assert "relations of edits" in refused("replay", "--run-id", run_id)
        assert "relations of edits" in refused("rescore", run_id)

    def test_nothing_is_asked_without_consent(self) -> None:
        """A person who is asked at a terminal says no: neither the order's run nor the run itself is begun."""
        pty = pytest.importorskip("pty")
        make_repository(Path("tool"), BEFORE, AFTER)
        main, terminal = pty.openpty()
        os.write(main, b"n\n")

        done = subprocess.run(
            [EVALS, "nextedit", "--repo", "tool", "--rev", "HEAD", "--sut", "silent", "--order", f"llm:{PAID}"],
            stdin=terminal,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "OPENAI_API_KEY": "none"},
        )

        assert done.returncode == 0, done.stderr
        assert done.stderr.count("continue? [y/N]") == 1
        assert "cancelled; no model was asked" in done.stderr
        assert not Path("evals.db").exists()


class TestRefusedCommits:
    def test_they_are_on_record_with_their_reasons(self) -> None:
        _, sha = make_repository(Path("tool"), {"a.py": b"x = 1\ny\nz = 1\n"}, {"a.py": b"x = 2\ny\nz = 2\n"})
        words = ("--repo", "tool", "--rev", "HEAD~1", "--rev", "HEAD", "--sut", "silent")

        shown = call("nextedit", *words, "--run-id", "mine").stderr
        told = json.loads(call("nextedit", *words, "--run-id", "mine", "--json").stdout)

        (left,) = told["not_replayed"]
        assert (left["reason"], left["sha"] == sha) == ("root", False)
        assert "not replayed, root: 1" in shown
        assert json.loads(call("report", "mine", "--json").stdout)["not_replayed"] == [left]
