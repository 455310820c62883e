"""`evals nextedit`: replays, bundles and orders from the command line."""

import json
import lzma
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from runner.cli import app as evals
from runner.cli.nextedit import app
from runner.errors import InputError
from tests.nextedit import cases_folder, few_cases
from tests.repositories import make_repository

BEFORE = {"a.py": b"def load(path):\n    pass\n", "b.py": b"from a import load\n\nload('x')\n"}
AFTER = {"a.py": b"def read(path):\n    pass\n", "b.py": b"from a import read\n\nread('x')\n"}


@pytest.fixture(autouse=True)
def _without_variables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("SUT", "EVAL_SET", "REPOS_DIR", "OUTPUT_DIR", "FLOW_ANALYSIS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def repository(tmp_path: Path) -> tuple[Path, list[str]]:
    return tmp_path / "repos" / "tool", make_repository(tmp_path / "repos" / "tool", BEFORE, AFTER)


def call(*words: object, env: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], env=env, catch_exceptions=True)


def refused(*words: object, env: dict[str, str] | None = None) -> str:
    error = call(*words, env=env).exception
    assert isinstance(error, InputError)
    return str(error)


class TestReplays:
    def test_systems_are_replayed_on_bundles_and_shown_side_by_side(self) -> None:
        done = call("--cases", few_cases(Path("few")), "--sut", "oracle,silent")

        assert done.exit_code == 0
        assert "effect on the flow" in done.stdout
        assert "oracle" in done.stdout

    def test_figures_come_as_json(self) -> None:
        done = call("--cases", few_cases(Path("few")), "--sut", "oracle,silent", "--json")

        systems = json.loads(done.stdout)["systems"]
        assert systems["oracle"]["figures"]["precision"]["micro"][0] == 1
        assert systems["oracle"]["figures"]["recall"]["micro"][0] == 1
        assert systems["silent"]["figures"]["precision"]["micro"][0] == 0
        assert systems["silent"]["figures"]["recall"]["micro"][0] == 0

    def test_a_range_of_a_repository_is_replayed_and_written(
        self, repository: tuple[Path, list[str]], tmp_path: Path
    ) -> None:
        path, shas = repository

        done = call("--repo", path, "--rev", "HEAD~1..HEAD", "--sut", "rules", "--output-dir", tmp_path / "out")

        (written,) = (tmp_path / "out").iterdir()
        content = json.loads(written.read_text())
        assert done.exit_code == 0
        assert written.name == f"tool-{shas[1][:10]}-rules-results.json"
        assert sorted(content["order"]) == [0, 1, 2]
        assert [step["hit@1"] for step in content["steps"]] == [True, True]

    def test_the_same_seed_gives_the_same_file_whatever_else_is_replayed(
        self, repository: tuple[Path, list[str]], tmp_path: Path
    ) -> None:
        for folder, systems in (("one", "random"), ("two", "silent,random")):
            call("--repo", repository[0], "--rev", "HEAD", "--sut", systems, "--output-dir", tmp_path / folder)

        first, second = (
            json.loads(next((tmp_path / folder).glob("*random*")).read_text()) for folder in ("one", "two")
        )
        for step in (*first["steps"], *second["steps"]):
            step["latency_ms"] = step["fill_ms"] = step["answers"] = None
        assert first == second

    def test_historians_list_and_variables_are_heard(self, repository: tuple[Path, list[str]], tmp_path: Path) -> None:
        path, shas = repository
        listed = {"python": [{"commit_url": f"https://example.org/owner/tool/commit/{shas[1]}"}]}
        (tmp_path / "list.json").write_text(json.dumps(listed))
        env = {
            "EVAL_SET": str(tmp_path / "list.json"),
            "REPOS_DIR": str(path.parent),
            "OUTPUT_DIR": str(tmp_path / "out"),
            "SUT": "oracle",
            "FLOW_ANALYSIS": "false",
        }

        done = call(env=env)

        assert "order none" in done.stdout
        assert [each.name for each in (tmp_path / "out").iterdir()] == [f"tool-{shas[1][:10]}-oracle-results.json"]

    def test_a_blank_variable_is_no_variable(self) -> None:
        done = call("--cases", few_cases(Path("few")), env={"EVAL_SET": "", "SUT": "", "OUTPUT_DIR": ""})

        assert done.exit_code == 0
        assert "rules" in done.stderr

    def test_the_originals_rules_write_the_originals_file(
        self, repository: tuple[Path, list[str]], tmp_path: Path
    ) -> None:
        path, shas = repository

        done = call(
            "--repo",
            path,
            "--rev",
            "HEAD",
            "--compat",
            "historian",
            "--sut",
            "oracle",
            "--output-dir",
            tmp_path / "out",
        )

        assert done.stdout.startswith("oracle: 1 commits, 2 steps, precision 100.0%, recall 100.0%")
        assert [each.name for each in (tmp_path / "out").iterdir()] == [
            f"tool-{shas[1][:10]}-oracle-simulation-results.json"
        ]

    def test_what_the_original_refuses_is_told_and_the_rest_goes_on(self) -> None:
        done = call("--cases", cases_folder(), "--compat", "historian", "--sut", "silent")

        assert "not a source file: test/colour.test.ts" in done.stderr
        assert "silent: 11 commits" in done.stdout

    def test_what_the_originals_rules_leave_no_room_for_is_told(self) -> None:
        more = ("--order", "file", "--leak", "none", "--context", "decoys")
        done = call("--cases", few_cases(Path("few")), "--compat", "historian", "--sut", "silent", *more)

        assert "--order file and --leak none and --context decoys: no effect" in done.stderr

    @pytest.mark.parametrize(
        "words, message",
        [
            (("--sut", "nobody"), "choose from rules"),
            (("--sut", " , "), "names nothing"),
            (("--repo", "."), "name what to replay with --rev"),
            (("--testset", "x.json"), "with --repos-dir"),
            (("--repo", ".", "--cases", "."), "name one"),
            (("--cases", "nowhere"), "no such file or folder"),
        ],
    )
    def test_bad_input_is_one_line(self, words: tuple[str, ...], message: str) -> None:
        assert message in refused(*words)

    def test_where_no_commit_can_be_replayed_the_reasons_are_told(self, repository: tuple[Path, list[str]]) -> None:
        assert "root 1" in refused("--repo", repository[0], "--rev", "HEAD~1", "--sut", "silent")


class TestModels:
    """Simulated models, asked through the database."""

    MODEL = "sim/careful?time=virtual"

    def test_a_model_is_shown_beside_the_rules_and_its_steps_have_clocks_and_cost(self, tmp_path: Path) -> None:
        done = call(
            "--cases", few_cases(Path("few")), "--sut", f"{self.MODEL},oracle", "--db", tmp_path / "evals.db", "--json"
        )

        systems = json.loads(done.stdout)["systems"]
        with closing(sqlite3.connect(tmp_path / "evals.db")) as connection:
            rows = connection.execute(
                "SELECT step, mode, round_trip_ms, list_cost_usd, a.outcome FROM answers a JOIN lanes USING (lane_id)"
                " WHERE sut = ?",
                (self.MODEL,),
            ).fetchall()
        assert done.exit_code == 0
        assert list(systems) == [self.MODEL, "oracle"]
        assert systems[self.MODEL]["figures"]["hit@1"]["micro"][0] > 0.7
        assert {row[1] for row in rows} == {"recommend", "fill"}
        assert all(row[2] > 0 and row[3] > 0 and row[4] == "answered" for row in rows)

    def test_a_finished_run_is_shown_again_without_asking(self, tmp_path: Path) -> None:
        words = ("--cases", few_cases(Path("few")), "--sut", self.MODEL, "--db", tmp_path / "evals.db", "--json")

        first = call(*words, "--run-id", "mine")
        again = call(*words, "--resume", "latest")

        with closing(sqlite3.connect(tmp_path / "evals.db")) as connection:
            (runs,) = connection.execute("SELECT count(*) FROM runs").fetchone()
        assert json.loads(first.stdout) == json.loads(again.stdout)
        assert runs == 1

    def test_a_run_is_read_again_by_other_algorithms_without_asking(self, tmp_path: Path) -> None:
        db = tmp_path / "evals.db"
        asked = call("--cases", few_cases(Path("few")), "--sut", self.MODEL, "--db", db, "--json")

        words = ["replay", "--run-id", "latest", "--db", str(db), "--diff-apply", "v4,v1", "--json"]
        again = CliRunner().invoke(evals, words, catch_exceptions=True)

        before = json.loads(asked.stdout)["systems"][self.MODEL]["figures"]
        after = json.loads(again.stdout)["summary"]["nextedit"]
        assert after[f"{self.MODEL} v4"]["figures"] == before
        assert after[f"{self.MODEL} v1"]["figures"]["hit@1"] is not None
        assert after[f"{self.MODEL} v1"]["commits"] == after[f"{self.MODEL} v4"]["commits"]

    def test_a_run_is_another_if_its_order_is(self, tmp_path: Path) -> None:
        words = (
            "--cases",
            few_cases(Path("few")),
            "--sut",
            self.MODEL,
            "--db",
            tmp_path / "evals.db",
            "--run-id",
            "mine",
        )
        call(*words)

        told = refused(*words, "--order", "file")
        assert "order was 'graph@" in told
        assert "is 'file'" in told

    def test_models_are_not_replayed_by_the_originals_rules(self) -> None:
        assert "is a model" in refused("--cases", cases_folder(), "--sut", self.MODEL, "--compat", "historian")

    def test_an_unknown_model_is_bad_input(self, tmp_path: Path) -> None:
        message = refused("--cases", cases_folder(), "--sut", "sim/nobody", "--db", tmp_path / "evals.db")

        assert message.startswith("--model-ids: ")
        assert not (tmp_path / "evals.db").exists()


class TestBundles:
    def test_commits_are_bundled_and_replayed_from_their_bundles(
        self, repository: tuple[Path, list[str]], tmp_path: Path
    ) -> None:
        done = call("bundle", tmp_path / "cases", "--repo", repository[0], "--rev", "HEAD~1", "--rev", "HEAD")

        assert done.stdout == f"{tmp_path}/cases/tool-{repository[1][1][:10]}.json\n"
        assert "not bundled: " in done.stderr
        assert call("--cases", tmp_path / "cases").exit_code == 0

    def test_a_source_has_to_be_named(self, tmp_path: Path) -> None:
        assert "name a source" in refused("bundle", tmp_path)


class TestOrders:
    def test_edits_and_edges_are_listed(self, repository: tuple[Path, list[str]]) -> None:
        done = call("order", "HEAD", "--repo", repository[0])

        assert "  0 -> 1   0.95 defines load" in done.stdout
        assert done.stdout.splitlines()[-1].startswith("begins with ")

    def test_a_bundles_order_comes_as_json_and_for_graphviz(self) -> None:
        path = next(cases_folder().glob("jotter*.json"))

        graph = json.loads(call("order", path, "--json").stdout)
        dot = call("order", path, "--dot").stdout

        assert {edge["reason"] for edge in graph["edges"]} >= {"defines", "uses"}
        assert dot.startswith("digraph order {")
        assert dot.count("->") == len({frozenset((edge["source"], edge["target"])) for edge in graph["edges"]})

    def test_labels_are_compared_with_the_order(self, tmp_path: Path) -> None:
        row = {
            "id": "one",
            "files": [
                {"path": path, "before": BEFORE[path].decode(), "after": AFTER[path].decode()} for path in BEFORE
            ],
            "edits": [
                {"file_path": path, "parent_version_range": {"start": start, "end": start + 1}}
                for path, start in (("a.py", 0), ("b.py", 0), ("b.py", 2))
            ],
            "pairs": {"0-1": "bi-directional"},
        }
        (tmp_path / "labels.jsonl.xz").write_bytes(lzma.compress(json.dumps(row).encode()))

        result = json.loads(call("order", "--labels", tmp_path / "labels.jsonl.xz", "--json").stdout)

        assert result == {"pairs": 3, "precision": 1 / 3, "recall": 1.0, "f1": 0.5, "accuracy": 1 / 3}

    @pytest.mark.parametrize("words", [("order",), ("order", "HEAD", "--repo", "nowhere")])
    def test_a_commit_has_to_be_named(self, words: tuple[str, ...]) -> None:
        assert refused(*words)
