"""A run whose answers could not be written: its commands say so, and a resumed run has them."""

import resource
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from runner.storage.spill import spill_files
from tests.runner.cli.conftest import Call

EVALS = Path(sys.executable).parent / "evals"
# Runs the command with little patience: a disk does not get larger while a test waits.
IMPATIENT = """
import sys
from runner.storage.writer import WritePatience
WritePatience.__init__.__defaults__ = (0.5, 0.5)
from runner.cli import main
sys.argv[0] = "evals"
main()
"""


def words(folder: Path, quota: int = 30) -> list[object]:
    model = "sim/any?ttft_ms=20&gap_ms=0&jitter=0&valid=1"
    return ["diff", "--model-ids", model, "--max-cases", 2, "-n", quota, "--run-id", "r", "--db", folder / "evals.db"]


def small_disk(size: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def outcomes(db: Path) -> list[str]:
    with closing(sqlite3.connect(db)) as connection:
        return [row[0] for row in connection.execute("SELECT outcome FROM answers")]


@pytest.fixture
def cut_off(tmp_path: Path, call: Call) -> "subprocess.CompletedProcess[str]":
    """A session that filled its disk; a session before it made the database."""
    assert call(*words(tmp_path, 1)).code == 0
    size = (tmp_path / "evals.db").stat().st_size
    command = [sys.executable, "-c", IMPATIENT, *map(str, words(tmp_path))]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        preexec_fn=small_disk(size + 40_000),
        timeout=600,
        check=False,
    )


def test_a_disk_that_fills_up_ends_the_session_and_the_next_one_has_every_answer(
    cut_off: "subprocess.CompletedProcess[str]", tmp_path: Path, call: Call
) -> None:
    db = tmp_path / "evals.db"

    assert cut_off.returncode == 3, cut_off.stderr
    assert "Traceback" not in cut_off.stderr
    assert "answers are kept in" in cut_off.stderr
    assert "resume with the same command and --run-id r" in cut_off.stderr
    assert "wait in a file; resume the run" in call("report", "r", "--db", db).err
    assert "wait in a file; resume the run" in call("runs", "--db", db).err
    before = len(outcomes(db))

    resumed = call(*words(tmp_path))

    assert resumed.code == 0
    assert "answers that an earlier session could not write" in resumed.err
    assert spill_files(db, "r") == []
    assert before < 60
    assert outcomes(db) == ["answered"] * 60
    assert "wait in a file" not in call("report", "r", "--db", db).err
