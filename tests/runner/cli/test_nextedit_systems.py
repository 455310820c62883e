"""`evals nextedit` with systems of somebody else's: modules, and runs that are interrupted."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from runner.cli import app as evals
from runner.cli.nextedit import app
from runner.cli.nextedit_variables import NAMES
from runner.errors import InputError
from runner.execution.isolation import GROUP_ONLY, Isolation
from runner.suites.nextedit.systems.module_cell import ModuleSettings
from runner.suites.nextedit.systems.module_settings import isolation_note
from tests.nextedit import cases_folder
from tests.repositories import git, make_repository

EVALS = Path(sys.executable).parent / "evals"
CASE = cases_folder() / "knobs-ef8ee13de7.json"
PYTHON_CASE = cases_folder() / "purse-7bf65b5c1d.json"


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def call(*words: object, env: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], env=env, catch_exceptions=True)


def refused(*words: object) -> str:
    error = call(*words).exception
    assert isinstance(error, InputError)
    return str(error)


def answers(db: Path, columns: str = "sut, step, mode, number, try, a.outcome") -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(db)) as connection:
        sql = f"SELECT {columns} FROM answers a JOIN lanes USING (lane_id) ORDER BY answer_id"  # noqa: S608 - ours
        return connection.execute(sql).fetchall()


def module(folder: Path, source: str) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "main.py").write_text(source)
    return f"historian:{folder}/main.py"


class TestRecords:
    """Systems without a model leave what models leave."""

    def test_every_question_to_every_system_is_an_attempt_with_a_time_and_no_cost(self) -> None:
        done = call("--cases", CASE, "--sut", "rules,oracle,silent,repeat-last,random,clones")

        found = answers(Path("evals.db"), "sut, step, mode, round_trip_ms, list_cost_usd, a.outcome")
        assert done.exit_code == 0
        for name in ("rules", "oracle", "silent", "repeat-last", "random", "clones"):
            of_one = [row for row in found if row[0] == name]
            assert [row[2] for row in of_one[:2]] == ["setup", "recommend"]
            assert [row[1] for row in of_one if row[2] == "recommend"] == [1, 2, 3, 4, 5]
            assert all(row[3] >= 0 and row[4] == 0 and row[5] == "answered" for row in of_one)

    def test_reports_and_exports_know_them(self) -> None:
        call("--cases", CASE, "--sut", "oracle,silent", "--run-id", "mine")

        report = CliRunner().invoke(evals, ["report", "mine", "--json"])
        exported = CliRunner().invoke(evals, ["export", "mine"])

        variants = {each["sut"]: each for each in json.loads(report.stdout)["variants"]}
        lines = [json.loads(line) for line in exported.stdout.splitlines()]
        assert (variants["oracle"]["solved"], variants["silent"]["solved"]) == (5, 0)
        assert variants["oracle"]["valid_rate"]["estimate"] == variants["silent"]["valid_rate"]["estimate"] == 1
        assert {line["model_id"] for line in lines} == {"oracle", "silent"}
        assert all(line["detail"]["step"] == line["step"] for line in lines if line["detail"])

    def test_the_same_run_id_shows_the_same_without_asking(self) -> None:
        words = ("--cases", CASE, "--sut", "random,rules", "--run-id", "mine", "--json")

        first, again = call(*words), call(*words)

        assert json.loads(first.stdout)["run_id"] == "mine"
        assert json.loads(first.stdout) == json.loads(again.stdout)
        assert {row[4] for row in answers(Path("evals.db"))} == {1}

    def test_a_run_read_again_has_them_as_they_were(self) -> None:
        asked = call("--cases", CASE, "--sut", "rules,sim/careful?time=virtual", "--run-id", "mine", "--json")
        again = CliRunner().invoke(evals, ["replay", "--run-id", "mine", "--diff-apply", "v1", "--json"])

        before, after = json.loads(asked.stdout)["systems"], json.loads(again.stdout)["summary"]["nextedit"]
        assert list(after) == ["rules", "sim/careful?time=virtual v1"]
        assert after["rules"] == before["rules"]


class TestInterruptions:
    SLOW = (
        "import time\n"
        "def main(payload):\n"
        "    time.sleep(0.3)\n"
        "    path = payload['changed_files'][0] if payload['changed_files'] else ''\n"
        "    lines = open(payload['repo_dir'] + '/' + path).readlines() if 'loc' in payload['status'] else []\n"
        "    return {path: [lines[:2], {'before': lines[2:3], 'after': ['changed\\n']}]} if lines else {}\n"
    )

    @pytest.fixture
    def killed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
        """The words of a run whose process was killed in the middle of a commit; its tree is in `temporary`."""
        (tmp_path / "temporary").mkdir()
        monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
        monkeypatch.setattr(tempfile, "tempdir", None)
        name = module(tmp_path / "slow", self.SLOW)
        words = ("--cases", str(CASE), "--sut", name, "--run-id", "mine", "--seed", "3")
        command = [str(EVALS), "nextedit", *words]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
            until = time.monotonic() + 600
            while time.monotonic() < until and _answered() < 4:
                time.sleep(0.02)
            process.send_signal(signal.SIGKILL)
        return words

    @pytest.mark.wide
    def test_a_killed_run_goes_on_at_its_step_with_the_same_numbers(
        self, killed: tuple[str, ...], tmp_path: Path
    ) -> None:
        before = answers(Path("evals.db"))
        left = [*(tmp_path / "temporary").iterdir()]
        resumed = call(*killed, "--json")
        after = answers(Path("evals.db"))

        straight = call(*killed[:4], "--seed", "3", "--db", tmp_path / "other.db", "--json")

        done = [row[1:4] for row in before if row[5] == "answered"]
        assert 3 <= len(done) < len([row for row in after if row[5] == "answered"])
        assert len({row[1:4] for row in after}) == len([row for row in after if row[5] == "answered"])
        assert [row for row in after if row[1:4] in done and row[4] > 1] == []
        assert _without_times(resumed) == _without_times(straight)
        assert left
        assert not any(folder.exists() for folder in left)

    @pytest.mark.parametrize(
        "mode, times",
        [
            # The first lets what is under way end.
            pytest.param((), 2, id="ours"),
            pytest.param(("--compat", "historian"), 1, id="originals"),
        ],
    )
    def test_an_interrupted_run_leaves_no_trees(self, tmp_path: Path, mode: tuple[str, ...], times: int) -> None:
        trees = tmp_path / "temporary"
        trees.mkdir()
        name = module(tmp_path / "slow", self.SLOW)
        command = [str(EVALS), "nextedit", "--cases", str(PYTHON_CASE), "--sut", name, *mode]
        environment = {**os.environ, "TMPDIR": str(trees)}
        with subprocess.Popen(
            command, env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        ) as process:
            until = time.monotonic() + 600
            while time.monotonic() < until and not list(trees.glob("evals-*/*/*.py")):
                time.sleep(0.02)
            began = list(trees.iterdir())
            for _ in range(times):
                process.send_signal(signal.SIGINT)
                time.sleep(0.2)

        assert began
        assert list(trees.iterdir()) == []
        assert process.returncode == 130


def _answered() -> int:
    try:
        return sum(row[5] == "answered" for row in answers(Path("evals.db")))
    except sqlite3.OperationalError:
        return 0


def _without_times(result: Result) -> dict[str, Any]:
    systems: dict[str, Any] = json.loads(result.stdout)["systems"]
    for each in systems.values():
        each["figures"].pop("latency_ms")
    return systems


class TestModules:
    BAD = "def main(payload):\n    if 'loc' in payload['status']:\n        open('/stolen', 'w')\n"

    def test_a_module_that_fails_costs_its_own_steps_and_no_other_systems(self, tmp_path: Path) -> None:
        alone = call("--cases", CASE, "--sut", "rules", "--json", "--db", "alone.db")
        done = call("--cases", CASE, "--sut", f"{module(tmp_path / 'bad', self.BAD)},rules", "--json")

        systems = json.loads(done.stdout)["systems"]
        bad, rules = systems.values()
        rules["figures"].pop("latency_ms")
        assert done.exit_code == 0
        assert bad["commits"] == 1
        assert not Path("/stolen").exists()
        assert "modules run in: " in done.stderr
        assert _without_times(alone) == {"rules": rules}

    @pytest.mark.parametrize("mode", [(), ("--compat", "historian")], ids=["ours", "originals"])
    def test_a_module_that_fails_at_every_question_ends_in_a_code_and_a_reason(
        self, tmp_path: Path, mode: tuple[str, ...]
    ) -> None:
        broken = module(tmp_path / "broken", "import gone\n")
        nonsense = module(tmp_path / "nonsense", "def main(payload):\n    return 7\n")

        failed = call("--cases", PYTHON_CASE, "--sut", f"{broken},silent", *mode)
        wrong = call("--cases", PYTHON_CASE, "--sut", nonsense, "--db", "other.db", *mode)

        assert (failed.exit_code, wrong.exit_code) == (1, 0)
        assert f"{broken} failed at every question" in failed.stderr
        assert "No module named 'gone'" in failed.stderr
        assert "every question" not in wrong.stderr

    def test_the_longest_answer_can_be_chosen(self, tmp_path: Path) -> None:
        name = module(tmp_path / "slow", "import time\ndef main(payload):\n    time.sleep(30)\n")

        done = call("--cases", CASE, "--sut", name, "--module-timeout", "0.3", "--json")

        (slow,) = json.loads(done.stdout)["systems"].values()
        assert slow["troubles"] == {"timeout": 11}

    def test_secrets_and_dotenv_reach_a_module_only_by_name(self, tmp_path: Path) -> None:
        Path(".env").write_text("MY_TOKEN=from-the-file\nPLAIN=hidden\n")
        name = module(
            tmp_path / "told",
            "import os\n"
            "def main(payload):\n"
            "    seen = [os.environ.get(name) for name in ('MY_TOKEN', 'PLAIN', 'OTHER_KEY', 'SHOWN')]\n"
            "    open(os.environ['LOG_DIR'] + '/seen', 'w').write(repr(seen))\n",
        )

        call("--cases", CASE, "--sut", name, "--log-dir", "kept", env={"OTHER_KEY": "k", "SHOWN": "seen"})
        first = Path("kept/seen").read_text()
        named = ("--module-env", "MY_TOKEN")
        call("--cases", CASE, "--sut", name, "--log-dir", "kept", *named, env={"OTHER_KEY": "k"})

        assert first == "[None, None, None, 'seen']"
        assert Path("kept/seen").read_text() == "['from-the-file', None, None, None]"

    def test_logs_that_cannot_be_kept_are_refused_before_anything_is_asked(self, tmp_path: Path) -> None:
        name = module(tmp_path / "mine", "def main(payload):\n    return {}\n")
        Path("file").write_text("")

        message = refused("--cases", CASE, "--sut", name, "--log-dir", "file/logs")

        assert message == "--log-dir: file/logs cannot be made: Not a directory; name another folder"
        assert call("--cases", CASE, "--sut", "silent", "--log-dir", "file/logs").exit_code == 0

    @pytest.mark.parametrize(
        "isolation, told",
        [
            pytest.param(Isolation(("pid-namespace",), ("unshare",)), "modules run in: pid-namespace", id="cell"),
            pytest.param(GROUP_ONLY, "modules run in: process-group; nothing else is permitted here", id="group"),
        ],
    )
    def test_the_isolation_of_modules_is_named(self, isolation: Isolation, told: str) -> None:
        assert isolation_note(ModuleSettings(Path(), isolation=isolation)).startswith(told)

    REPORTED = """
import time
def main(payload):
    time.sleep(0.05)
    report = {"cost_usd": 0.25, "input_tokens": 100, "output_tokens": 7, "first_token_ms": 0}
    if payload["status"] == "init":
        return {"$report": report}
    return {"$report": report} if payload["status"] == "suggestion(location+content)" else {}
"""

    def test_what_a_module_reports_is_on_record_and_what_it_does_not_is_unknown(self, tmp_path: Path) -> None:
        reporting = module(tmp_path / "reporting", self.REPORTED)
        silent = module(tmp_path / "silent", "def main(payload):\n    return {}\n")

        done = call("--cases", CASE, "--sut", f"{reporting},{silent},silent", "--json", "--db", "x.db")

        clock = "round_trip_ms - first_token_ms > 49"
        columns = f"sut, mode, provider_cost_usd, list_cost_usd, input_tokens, output_tokens, {clock}"
        rows = set(answers(Path("x.db"), columns))
        reported, unknown = (0.25, None, 100, 7, True), (None, None, None, None, None)
        assert {row for row in rows if row[0] == reporting} == {
            (reporting, "setup", *reported), (reporting, "recommend", *reported), (reporting, "fill", *unknown)
        }  # fmt: skip
        assert {row[2:] for row in rows if row[0] == silent} == {unknown}
        assert {row[2:6] for row in rows if row[0] == "silent"} == {(None, 0.0, 0, 0)}
        costs = {
            name: each["figures"]["cost_usd"]["macro"] for name, each in json.loads(done.stdout)["systems"].items()
        }
        assert (costs[reporting], costs[silent], costs["silent"][0]) == (None, None, 0.0)
        shown = CliRunner().invoke(evals, ["report", "--db", "x.db"]).stdout
        assert "$0.0000" in next(line for line in shown.splitlines() if line.startswith("silent  ") and " ms" in line)

    @pytest.mark.parametrize(
        "report, problem",
        [
            ("7", "it is no object"),
            ("{'cost': 1}", "'cost' is no field of it"),
            ("{'cost_usd': 'much'}", "cost_usd is not a number"),
            ("{'input_tokens': -1}", "input_tokens is not a number of tokens"),
        ],
    )
    def test_a_report_in_another_form_costs_the_question(self, tmp_path: Path, report: str, problem: str) -> None:
        name = module(tmp_path / "odd", f"def main(payload):\n    return {{'$report': {report}}}\n")

        done = call("--cases", CASE, "--sut", name)

        assert f"the $report of its answer is malformed: {problem}" in done.output

    def test_a_changed_module_is_another_run(self, tmp_path: Path) -> None:
        name = module(tmp_path / "mine", "def main(payload):\n    return {}\n")
        words = ("--cases", CASE, "--sut", name, "--run-id", "mine")
        call(*words)
        module(tmp_path / "mine", "def main(payload):\n    return None\n")

        assert "--run-id mine: is another run (suts was" in refused(*words)

    @pytest.mark.parametrize("named", ["tool", "tool/inner", "linked"])
    def test_the_commits_it_is_asked_about_are_hidden_from_it(self, tmp_path: Path, named: str) -> None:
        repository, linked = tmp_path / "tool", tmp_path / "linked"
        make_repository(repository, {"inner/a.py": b"x = 1\ny\nz = 1\n"}, {"inner/a.py": b"x = 2\ny\nz = 2\n"})
        git(repository, "worktree", "add", "--quiet", "--detach", str(linked))
        places = [str(path) for path in (repository / ".git/objects", repository, linked)]
        looks = (
            "import os\ndef main(payload):\n"
            f"    raise ValueError([os.path.isdir(one) and os.listdir(one) for one in {places}])\n"
        )

        done = call("--repo", tmp_path / named, "--rev", "HEAD", "--sut", module(tmp_path / "spy", looks))

        if "no-network" in done.stderr:
            assert "ValueError: [False, [], []]" in done.stderr

    def test_a_tree_that_it_lies_in_is_there_without_its_repository(self, tmp_path: Path) -> None:
        repository = tmp_path / "tool"
        make_repository(repository, {"a.py": b"x = 1\ny\nz = 1\n"}, {"a.py": b"x = 2\ny\nz = 2\n"})
        places = [str(path) for path in (repository / ".git", repository)]
        looks = f"import os\ndef main(payload):\n    raise ValueError([len(os.listdir(one)) for one in {places}])\n"

        done = call("--repo", repository, "--rev", "HEAD", "--sut", module(repository / "tools/spy", looks))

        if "no-network" in done.stderr:
            assert "ValueError: [0, 3]" in done.stderr
