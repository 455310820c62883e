"""A run that is stopped and goes on, as by Ctrl-Z, keeps the answers that arrived meanwhile and marks their clocks."""

import os
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.main_job import CASES, EVALS, Served, serving

IDLE_S = 2.0
STOPPED_S = 4.0


def rows(db: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(db)) as connection:
        return connection.execute(sql).fetchall()


def wait_for_an_answer_under_way(server: Served) -> None:
    while not server.stats()["open"]:
        time.sleep(0.02)
    # The client notes the moment of sending only after the server has the request.
    time.sleep(0.2)


@pytest.mark.wide
def test_a_stopped_run_keeps_its_answers_and_marks_their_clocks(tmp_path: Path) -> None:
    db = tmp_path / "evals.db"
    with serving("--parameters", "ttft_ms=600&gap_ms=5&jitter=0") as server:
        run = subprocess.Popen(
            [
                *(str(EVALS), "diff", "--provider", "openai", "--base-url", f"{server.url}/v1"),
                *("--model-ids", "any?valid=1", "--cases", str(CASES), "--max-cases", "1", "--db", str(db)),
                *("--idle-timeout", str(IDLE_S), "--first-byte-timeout", str(IDLE_S)),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "OPENAI_API_KEY": "sk-test"},
        )
        try:
            wait_for_an_answer_under_way(server)
            run.send_signal(signal.SIGSTOP)
            time.sleep(STOPPED_S)
            run.send_signal(signal.SIGCONT)
            run.communicate(timeout=600)
        finally:
            run.kill()
            run.communicate()

    assert run.returncode == 0
    ((outcome, disturbed_ms),) = rows(db, "SELECT outcome, disturbed_ms FROM answers")
    assert outcome == "answered"
    assert isinstance(disturbed_ms, float)
    assert disturbed_ms > 1000 * (STOPPED_S - 0.2)
    report = subprocess.run([EVALS, "report", "latest", "--db", db], capture_output=True, text=True, check=True)
    assert "clocks of 1 answer may be late" in " ".join((report.stdout + report.stderr).split())
    ((late_max_ms,),) = rows(db, "SELECT late_max_ms FROM sessions")
    assert isinstance(late_max_ms, float)
    assert late_max_ms > 1000 * (STOPPED_S - 0.2)
