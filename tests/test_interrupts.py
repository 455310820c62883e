"""Interrupting a run: the first lets it end what it began, the second stops it."""

import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

CASES = Path(__file__).parents[1] / "cases" / "diff_edit"
EVALS = Path(sys.executable).parent / "evals"


@pytest.fixture
def begun(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[str]]:
    """A run whose first two answers take as long as the test says, once they are under way."""
    model = f"sim/any?ttft_ms={request.param}&jitter=0"
    words = [str(EVALS), "diff", "--model-ids", model, "--cases", str(CASES), "--max-concurrency", "2", "-v"]
    words += ["--run-id", "cut"]
    run = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    try:
        read_until(run, "run cut in")
        wait_for_answers(tmp_path / "evals.db", 2)
        yield run
    finally:
        run.kill()
        run.communicate()


def read_until(run: subprocess.Popen[str], words: str) -> str:
    assert run.stderr is not None
    return next(line for line in run.stderr if words in line)


def wait_for_answers(db: Path, wanted: int) -> None:
    found = 0
    while found < wanted:
        time.sleep(0.02)
        with closing(sqlite3.connect(db)) as connection:
            found = connection.execute("SELECT count(*) FROM answers").fetchone()[0]


def outcomes(db: Path) -> list[str]:
    with closing(sqlite3.connect(db)) as connection:
        return [row[0] for row in connection.execute("SELECT outcome FROM answers")]


@pytest.mark.parametrize("begun", [pytest.param(1500, id="answers of 1.5 s")], indirect=True)
def test_the_first_interrupt_lets_answers_end_and_says_how_to_go_on(
    begun: subprocess.Popen[str], tmp_path: Path
) -> None:
    begun.send_signal(signal.SIGINT)
    report, told = begun.communicate(timeout=600)

    assert begun.returncode == 3
    assert "draining: 2 calls under way end first" in told
    assert told.splitlines()[-1] == "incomplete; resume with the same command and --run-id cut"
    assert len(re.findall(r"\w+ \(sim/any", report)) == 5
    assert "and 22 more" in report
    assert outcomes(tmp_path / "evals.db") == ["answered", "answered"]


@pytest.mark.parametrize("begun", [pytest.param(60_000, id="answers of a minute")], indirect=True)
def test_the_second_interrupt_stops_at_once(begun: subprocess.Popen[str]) -> None:
    begun.send_signal(signal.SIGINT)
    read_until(begun, "draining")
    begun.send_signal(signal.SIGINT)
    _, told = begun.communicate(timeout=50)

    assert begun.returncode == 130
    assert told == "stopped; resume with: --run-id cut\n"
