"""Agents where no whole cell can be made: refused, or let run with right results, limits, and nothing left behind."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.execution.isolation import strongest
from tests.main_job import EVALS, KEYS, ROOT, Served, exported, serving
from tests.runner.agents.rooms import BREAKERS, PLAYER
from tests.runner.agents.test_agent_runs import MIXED, counted, planted
from tests.runner.cells import running
from tests.runner.execution.environments import environments
from tests.runner.execution.page import table

ENVIRONMENTS = environments()
# What is said of each, and what is permitted there.
WEAK = {
    "read-only cgroups": "nothing bounds how many processes they start",
    "root, no namespaces": "of the network they reach the port of their proxy",
    "plain user, no namespaces": "change modes and times of your files",
}

pytestmark = [
    pytest.mark.wide,
    pytest.mark.skipif(
        os.geteuid() != 0 or not shutil.which("setpriv") or not strongest().whole,
        reason="only root with all permissions can give some of them up",
    ),
]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that every user may write in, with an agent of its own."""
    with tempfile.TemporaryDirectory(prefix="weak-") as name:
        Path(name).chmod(0o777)
        shutil.copy(PLAYER, Path(name) / "agent.py")
        yield Path(name)


def words(environment: str, folder: Path, served: Served) -> list[str]:
    """A run of an agent in an environment, whose rooms are in the folder."""
    command = f"agent:python3 {folder / 'agent.py'} --wire anthropic --model '{MIXED}'"
    limits = ("--max-cases", "3", "--max-attempts-per-case", "3", "--agent-limits", "turns=14", "--run-id", "weak")
    server = ("--base-url", f"{served.url}/v1", "--db", str(folder / "evals.db"), "--max-concurrency", "3")
    return [*ENVIRONMENTS[environment].words, str(EVALS), "diff", command, *server, *limits]


def environ(folder: Path) -> dict[str, str]:
    own = {name: str(folder) for name in ("TMPDIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME")}
    return {**os.environ, **KEYS, **own}


def ran(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, env=environ(folder), capture_output=True, text=True, check=False)


def rooms(folder: Path) -> list[Path]:
    return [*folder.glob("evals-agent-*")]


@pytest.mark.parametrize("environment", WEAK)
def test_a_run_is_refused_or_comes_back_right_and_leaves_nothing(environment: str, folder: Path) -> None:
    with serving("--ttft-ms", "1", "--gap-ms", "0") as served:
        command = words(environment, folder, served)
        refused = ran(folder, *command)
        left = {path.name for path in folder.iterdir()}, served.log()
        done = ran(folder, *command, "--weak-sandbox", "--yes")
        log = served.log()

    assert (refused.returncode, refused.stderr.count("\n"), refused.stdout) == (2, 1, ""), refused.stderr
    assert "give --weak-sandbox" in refused.stderr
    assert left == ({"agent.py"}, [])
    assert done.returncode in (0, 3), done.stderr
    assert WEAK[environment] in done.stderr
    assert counted(folder / "evals.db") == planted(MIXED, 3)
    rows = exported(folder / "evals.db")
    assert sum(row["output_tokens"] for row in rows) == sum(entry["usage"]["output"] for entry in log)
    assert (running(folder), rooms(folder)) == ([], [])


def test_a_killed_run_leaves_no_process_and_goes_on(folder: Path) -> None:
    environment = "plain user, no namespaces"
    with serving("--ttft-ms", "60", "--gap-ms", "0") as served:
        command = [*words(environment, folder, served), "--weak-sandbox", "--yes"]
        first = subprocess.Popen(command, cwd=ROOT, env=environ(folder), stderr=subprocess.DEVNULL)
        while len(served.log()) < 3:
            assert first.poll() is None
        cells = running(folder / "agent.py")
        first.send_signal(signal.SIGKILL)
        first.wait()
        while running(folder):
            pass

        again = ran(folder, *command)

    assert len(cells) > 1
    assert again.returncode in (0, 3), again.stderr
    assert counted(folder / "evals.db") == planted(MIXED, 3)
    assert rooms(folder) == []


@pytest.mark.parametrize("environment", ["plain user", *WEAK, "no isolation"])
def test_hostile_agents_achieve_at_each_level_what_the_page_says_and_limits_end_them(environment: str) -> None:
    asked = ["none"] if environment == "no isolation" else []
    program = [sys.executable, "-m", "tests.runner.agents.hostile_agents", *asked]

    done = subprocess.run(
        [*ENVIRONMENTS[environment].words, *program], cwd=ROOT, capture_output=True, check=True, timeout=120
    )

    _, achieved, ends = json.loads(done.stdout)
    assert {attack: "yes" if success else "no" for attack, success in achieved.items()} == {
        attack: cells[environment] for attack, cells in table("agent").items()
    }
    assert ends == {limit: limit for limit in BREAKERS}
