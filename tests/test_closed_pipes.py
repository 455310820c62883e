"""A reader that goes, such as `head`: calls under way are recorded, nothing more is asked, the run can be resumed."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

CASES = Path(__file__).parents[1] / "cases" / "diff_edit"
EVALS = Path(sys.executable).parent / "evals"
MODEL = "sim/any?ttft_ms=300&jitter=0&valid=1"
WORDS = ("diff", "--model-ids", MODEL, "--cases", str(CASES), "--max-cases", "9", "--run-id", "cut")


def started(folder: Path, *more: str) -> "subprocess.Popen[str]":
    """A run whose stdout and stderr are one pipe."""
    command = [str(EVALS), *WORDS, *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder)


def outcomes(db: Path) -> list[str]:
    with closing(sqlite3.connect(db)) as connection:
        return [row[0] for row in connection.execute("SELECT outcome FROM answers")]


@pytest.mark.wide
def test_calls_under_way_are_recorded_when_the_reader_of_the_progress_goes(tmp_path: Path) -> None:
    with started(tmp_path, "--max-concurrency", "2", "-v") as run:
        assert run.stdout is not None
        next(line for line in run.stdout if "applied" in line or "valid 1/1" in line)
        run.stdout.close()
        code = run.wait(timeout=600)

    left = outcomes(tmp_path / "evals.db")
    assert code == 3
    assert 2 <= len(left) < 9
    assert set(left) == {"answered"}

    with started(tmp_path) as run:
        said, _ = run.communicate(timeout=600)

    assert run.returncode == 0
    assert f"run cut resumes with {len(left)} valid attempts" in said
    assert outcomes(tmp_path / "evals.db") == ["answered"] * 9


@pytest.mark.wide
def test_a_run_whose_report_nobody_reads_ends_with_its_own_code(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [str(EVALS), *WORDS, "--json"]

    done = subprocess.run(
        command, stdout=writing, stderr=subprocess.PIPE, text=True, cwd=tmp_path, timeout=600, check=False
    )
    os.close(writing)

    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
    assert outcomes(tmp_path / "evals.db") == ["answered"] * 9
