"""`evals nextedit order`, and the options of `evals nextedit` that decide the order: servers and models."""

import json
import shlex
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from runner.cli import app as evals
from runner.cli.nextedit import app
from runner.errors import InputError
from tests.nextedit import cases_folder
from tests.repositories import make_repository

BEFORE = {"a.rs": b"fn a() {}\n", "b.rs": b"fn b() {}\n", "c.py": b"x = 1\n"}
AFTER = {"a.rs": b"fn a() {}\nlet ceiling = 3;\n", "b.rs": b"fn b() {}\nprint(1, ceiling);\n", "c.py": b"y = 'two'\n"}
NAME_SERVER = Path(__file__).parents[1] / "suites" / "nextedit" / "order" / "servers" / "name_server.py"
MODEL = "llm:sim/truth?ttft_ms=0&gap_ms=0&time=virtual"


@pytest.fixture(autouse=True)
def _in_a_repository(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("SUT", "EVAL_SET", "REPOS_DIR", "OUTPUT_DIR", "FLOW_ANALYSIS"):
        monkeypatch.delenv(name, raising=False)
    make_repository(tmp_path / "tool", BEFORE, AFTER)
    monkeypatch.chdir(tmp_path / "tool")


def server(mode: str) -> str:
    return shlex.join((sys.executable, str(NAME_SERVER), mode))


def call(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def refused(*words: object) -> str:
    error = call(*words).exception
    assert isinstance(error, InputError)
    return str(error)


def edges(done: Result) -> list[tuple[int, int, str]]:
    assert done.exit_code == 0
    return [(each["source"], each["target"], each["reason"]) for each in json.loads(done.stdout)["edges"]]


def config_of(run_id: str) -> dict[str, Any]:
    with closing(sqlite3.connect("x.db")) as connection:
        (config,) = connection.execute("SELECT config FROM runs WHERE run_id = ?", (run_id,)).fetchone()
    found: dict[str, Any] = json.loads(config)
    return found


class TestFolders:
    def test_the_orders_of_all_commits_of_a_folder_are_shown(self) -> None:
        shipped = sorted(path.stem for path in cases_folder().glob("*.json"))

        lines = call("order", "--cases", cases_folder()).stdout.splitlines()
        data = json.loads(call("order", "--cases", cases_folder(), "--json").stdout)

        assert [line for line in lines if line in shipped] == shipped
        assert [each["case"] for each in data["commits"]] == shipped
        assert all(each["edges"] for each in data["commits"])

    def test_one_of_them_is_shown_by_its_id(self) -> None:
        path = cases_folder() / "knobs-ef8ee13de7.json"

        named = call("order", path.stem, "--cases", cases_folder())

        assert named.stdout == call("order", path).stdout
        assert call("order", path.stem, "--cases", cases_folder(), "--dot").stdout.startswith("digraph order")

    @pytest.mark.parametrize(
        "words, problem",
        [
            (("gone-1", "--cases", "{cases}"), "--cases {cases}: has no commit 'gone-1'; name one of its commits"),
            (("--cases", "{cases}", "--dot"), "--dot: draws one commit's graph; name the commit"),
            (("HEAD", "--cases", "{cases}", "--repo", "."), "order: --cases and --repo are two sources of commits"),
            ((), "order: name a commit, a folder of commits with --cases, or labels with --labels"),
        ],
    )
    def test_what_is_no_commit_of_it_is_refused(self, words: tuple[str, ...], problem: str) -> None:
        cases = str(cases_folder())

        message = refused("order", *(word.format(cases=cases) for word in words))

        assert message.startswith(problem.format(cases=cases))


class TestShowing:
    def test_a_revision_is_one_of_the_repository_here(self) -> None:
        done = call("order", "HEAD", "--json")

        assert [edit["path"] for edit in json.loads(done.stdout)["edits"]] == ["a.rs", "b.rs", "c.py"]

    def test_a_bundle_is_shown_too(self) -> None:
        bundle = min(cases_folder().glob("*.json"))

        assert edges(call("order", bundle, "--json"))

    @pytest.mark.parametrize(
        "words, message",
        [
            (["order", "HEAD", "--order", "clever"], "'clever' is no order; there are graph, file, none and llm:MODEL"),
            (["order", "HEAD", "--order", "llm:"], "names no model"),
            (["order", "HEAD", "--order", "file"], "is not a graph"),
            (["order", "HEAD", "--order", "llm:sim/nobody"], "no simulated model"),
            (["order", "HEAD", "--lsp", "no-such-server"], "there is no program"),
            (["order", "no-such-revision"], "no-such-revision"),
            (["order", "no-such-bundle.json"], "no-such-bundle.json"),
            (["order"], "name a commit"),
            (["order", "HEAD", "--json", "--dot"], "leave it out, or --json"),
            (["order", "--labels", "labels.jsonl", "--dot"], "leave it out, or --labels"),
            (["order", "HEAD", "--labels", "labels.jsonl"], "--labels names its own commits"),
            (["--order", "clever"], "'clever' is no order"),
            (["--order", "llm:"], "names no model"),
            (["--repo", ".", "--rev", "HEAD", "--order", "none", "--lsp", "sh"], "leave one of them out"),
        ],
    )
    def test_what_cannot_be_is_refused_in_one_line(self, words: list[str], message: str) -> None:
        told = refused(*words)

        assert message in told
        assert "\n" not in told


class TestServers:
    def test_a_servers_edges_join_the_rules(self) -> None:
        found = edges(call("order", "HEAD", "--json", "--lsp", server("well")))

        assert set(edges(call("order", "HEAD", "--json"))) < set(found)
        assert {(0, 1, "defines"), (1, 0, "uses")} <= set(found)

    def test_a_server_may_be_bound_to_a_language(self) -> None:
        assert edges(call("order", "HEAD", "--json", "--lsp", f"go={server('well')}")) == edges(
            call("order", "HEAD", "--json")
        )

    def test_a_server_that_dies_costs_its_edges_and_one_line(self) -> None:
        done = call("order", "HEAD", "--json", "--lsp", server("dies"))

        assert edges(done) == edges(call("order", "HEAD", "--json"))
        assert done.stderr.count("ended before it had answered") == 1

    def test_a_run_with_a_server_is_another_run_and_keeps_its_edges(self) -> None:
        done = call("--repo", ".", "--rev", "HEAD", "--lsp", server("well"), "--db", "x.db", "--run-id", "one")

        config = config_of("one")
        assert done.exit_code == 0
        assert config["identity"]["order"].startswith("graph with ")
        assert list(config["settings"]["edges"].values()) == [[[0, 1], [1, 0]]]

    def test_a_run_that_followed_a_server_is_read_again_without_it(self) -> None:
        words = ("--repo", ".", "--rev", "HEAD", "--sut", "sim/truth", "--lsp", server("well"), "--db", "x.db")
        first = call(*words, "--run-id", "one", "--json")

        again = CliRunner().invoke(evals, ["replay", "--run-id", "one", "--db", "x.db", "--diff-apply", "v4", "--json"])

        systems = (json.loads(first.stdout)["systems"], json.loads(again.stdout)["summary"]["nextedit"])
        figures = [each.popitem()[1]["figures"]["recall"] for each in systems]
        assert figures[0] == figures[1]


class TestModels:
    def test_a_model_is_asked_about_open_pairs_once(self) -> None:
        first = call("order", "HEAD", "--json", "--order", MODEL, "--db", "x.db")
        again = call("order", "HEAD", "--json", "--order", MODEL, "--db", "x.db")

        assert edges(first) == edges(again)
        assert "0 known, 2 asked" in first.stderr
        assert "(simulated)" in first.stderr
        assert "2 known, 0 asked for $0.0000" in again.stderr
        told = json.loads(first.stdout)["judged"]
        assert (told["asked"], told["known"], told["left_open"]) == (2, 0, 0)
        assert told["cost_usd"] > 0

    def test_a_spent_budget_shows_no_half_order(self) -> None:
        done = call("order", "HEAD", "--json", "--order", MODEL, "--db", "x.db", "--budget", "0.009")

        assert done.exit_code == 3
        assert done.stdout == ""
        assert "2 have no answer yet: the same words go on" in done.stderr

    @pytest.mark.slow
    def test_replays_follow_the_models_word(self) -> None:
        words = ("--cases", cases_folder(), "--sut", "oracle,sim/truth", "--json", "--db", "x.db", "--yes")

        plain, asked = call(*words, "--run-id", "one"), call(*words, "--run-id", "two", "--order", MODEL)

        # Each edit that the model relates to others is one that no longer begins an island.
        islands = [
            json.loads(done.stdout)["systems"]["oracle"]["figures"]["new islands"]["micro"][0]
            for done in (plain, asked)
        ]
        assert islands[0] > islands[1] > 0

    def test_a_budget_that_the_order_fits_in_need_not_do_for_the_replays(self) -> None:
        words = ("--repo", ".", "--rev", "HEAD", "--sut", "sim/truth", "--order", MODEL, "--db", "x.db")

        done = call(*words, "--budget", "0.034", "--run-id", "one")

        assert done.exit_code == 3
        assert "2 asked" in done.stderr
        assert "incomplete; resume with the same command" in done.stderr

    def test_a_run_keeps_the_edges_it_followed(self) -> None:
        call("--repo", ".", "--rev", "HEAD", "--sut", "sim/truth", "--order", MODEL, "--db", "x.db", "--run-id", "one")

        config = config_of("one")
        assert config["identity"]["order"].startswith(f"{MODEL}@")
        assert list(config["settings"]["edges"].values()) == [[[0, 1], [1, 0]]]


class TestLabels:
    def test_agreement_is_told_with_a_models_word(self, tmp_path: Path) -> None:
        labels = tmp_path / "labels.jsonl"
        spans = [("a.txt", 0, 1), ("b.txt", 0, 1)]
        row = {
            "id": "one",
            "files": [{"path": path, "before": f"{path}\n", "after": f"{path} changed\n"} for path, _, _ in spans],
            "edits": [{"file_path": p, "parent_version_range": {"start": s, "end": e}} for p, s, e in spans],
            "pairs": {"0-1": "bi-directional"},
        }
        labels.write_text(json.dumps(row) + "\n")

        done = call("order", "--labels", labels, "--json", "--order", MODEL, "--db", "x.db")

        assert json.loads(done.stdout) == {"pairs": 1, "precision": 1.0, "recall": 1.0, "f1": 1.0, "accuracy": 1.0}
