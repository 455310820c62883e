"""A keeper ends all that a command has started: when that ends, when it is told to, and when its starter dies."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from runner.execution.isolation import kept
from tests.runner.cells import running

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="orphans are adopted on Linux")

# A child in a session of its own, and its child, which lost its parent; each names the folder.
STRAY = "(setsid sh -c 'sleep 60; true' stray $1 & setsid sh -c 'setsid sleep 60 & touch $1/began' stray $1) & "
BEGAN = "while [ ! -e $1/began ]; do sleep 0.01; done; "


def words(script: str, folder: Path) -> list[str]:
    return kept(["sh", "-c", script, "sh", str(folder)])


@pytest.mark.parametrize(
    "command, code",
    [
        pytest.param(["sh", "-c", "exit 3"], 3, id="its own code"),
        pytest.param(["sh", "-c", "kill -9 $$"], 128 + 9, id="a signal"),
        pytest.param(["no-such-program"], 127, id="no program"),
        pytest.param(["/etc/passwd"], 126, id="no executable"),
        pytest.param(["sh", "-c", "kill 0; sleep 60"], 128 + 15, id="a signal to its group"),
    ],
)
def test_it_ends_as_its_command_does(command: list[str], code: int) -> None:
    assert subprocess.run(kept(command), capture_output=True, check=False, timeout=30).returncode == code


def test_what_a_command_leaves_behind_ends_with_it(tmp_path: Path) -> None:
    done = subprocess.run(words(STRAY + BEGAN, tmp_path), check=False, timeout=30)

    assert (done.returncode, running(tmp_path)) == (0, [])


def test_all_of_it_ends_when_it_is_told_to(tmp_path: Path) -> None:
    keeper = subprocess.Popen(words(STRAY + "sleep 60", tmp_path))
    while not (tmp_path / "began").exists():
        assert keeper.poll() is None

    keeper.terminate()

    assert keeper.wait(30) == 128 + signal.SIGKILL
    assert running(tmp_path) == []


def test_all_of_it_ends_when_its_starter_dies(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys; from runner.execution.isolation import kept; "
        f"subprocess.run(kept(['sh', '-c', {STRAY + 'sleep 60'!r}, 'sh', sys.argv[1]]))"
    )
    starter = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)])
    while not (tmp_path / "began").exists():
        assert starter.poll() is None

    starter.kill()
    starter.wait()

    while running(tmp_path):
        pass


def test_nothing_is_started_for_who_is_gone() -> None:
    command = kept(["echo", "started"])
    command[command.index(str(os.getpid()))] = "1"

    done = subprocess.run(command, capture_output=True, check=False, timeout=30)

    assert (done.returncode, done.stdout) == (128 + signal.SIGKILL, b"")
