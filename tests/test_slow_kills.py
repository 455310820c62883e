"""A hundred runs killed without warning at random points: each goes on to the rows of an uninterrupted one."""

import os
import random
import secrets
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from runner.storage.store import Store

ROOT = Path(__file__).parents[1]
EVALS = Path(sys.executable).parent / "evals"
KILLS = 100
WORKERS = 2
# Of so many runs one is killed by the clock, which is mostly before the first answer, the others by their progress.
BY_THE_CLOCK = 5
MODELS = "sim/sloppy?ttft_ms=80&gap_ms=2,sim/chatty?valid=0.6&ttft_ms=60&gap_ms=1&wire=anthropic"
WORDS = (
    "diff",
    "--model-ids",
    MODELS,
    "--max-cases",
    8,
    "-n",
    2,
    "--max-concurrency",
    12,
    "--run-id",
    "r",
    "--seed",
    3,
)
ROWS = """
SELECT t.sut, t.prompt, t.parser, t.diff_algorithm, t.case_id, t.number, t.outcome, t.valid, t.solved,
    t.equals_expected, t.num_edits, t.lines_added, t.lines_removed, t.parses_before, t.parses_after, t.input_tokens,
    t.cache_read_tokens, t.cache_write_tokens, t.output_tokens, t.reasoning_tokens, t.cost_usd, t.finish_reason,
    a.text_id, a.reasoning_id, s.edited_id, s.blocks, s.parsed_calls
FROM attempts t JOIN answers a USING (answer_id) JOIN scorings s USING (scoring_id) WHERE t.run_id = 'r'
"""
TEXTS = ("text_id", "reasoning_id", "edited_id")


@dataclass(frozen=True)
class Killed:
    """What a kill left, and what the run had become when it was over; `in_flight` are ids with their bounds in USD."""

    in_flight: Mapping[int, float]
    answered: int
    lost: Mapping[int, float]
    rows: Sequence[tuple[object, ...]]
    lanes: Sequence[tuple[object, ...]]


def run(db: Path) -> subprocess.Popen[str]:
    command = [str(EVALS), *map(str, WORDS), "--db", str(db)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def finished(db: Path) -> None:
    with run(db) as process:
        _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said


def asked(db: Path, sql: str) -> list[tuple[Any, ...]]:
    """The rows of a query in a database that may not be there yet; a log of its own tells that it is."""
    if not db.with_name(db.name + "-wal").exists():
        return []
    with closing(sqlite3.connect(f"file:{db}?mode=ro", uri=True, timeout=10)) as connection:
        try:
            return connection.execute(sql).fetchall()
        except sqlite3.OperationalError:
            return []  # the tables are still being made


def final(db: Path) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """Every attempt with its texts, whatever its ids and clocks; and how each lane ended."""
    with closing(Store.open(db, create=False)) as store:
        rows = [
            tuple(store.text(row[name]) if name in TEXTS else row[name] for name in row.keys())  # noqa: SIM118 - a Row
            for row in store.rows(ROWS)
        ]
        lanes = [tuple(row) for row in store.rows("SELECT sut, prompt, case_id, state FROM lanes")]
        states = [row["state"] for row in store.rows("SELECT state FROM runs")]
    assert states == ["complete"]
    return sorted(rows, key=repr), sorted(lanes)


def kill_somewhere(db: Path, chance: random.Random, most: int) -> None:
    """Start a run, and kill it at a random point before its end."""
    while True:
        answers, more_s, begun = chance.randrange(most), chance.random() * 0.03, time.monotonic()
        latest_s = chance.random() * 1.5 if chance.randrange(BY_THE_CLOCK) == 0 else 300.0
        with run(db) as process:
            while process.poll() is None and time.monotonic() - begun < latest_s:
                if len(asked(db, "SELECT 1 FROM answers WHERE outcome = 'answered'")) >= answers:
                    time.sleep(more_s)
                    break
                time.sleep(0.005)
            alive = process.poll() is None
            process.kill()
        if alive:
            return
        for file in db.parent.glob(f"{db.name}*"):
            file.unlink()


def cycle(folder: Path, seed: str, most: int) -> Killed:
    folder.mkdir()
    db = folder / "evals.db"
    kill_somewhere(db, random.Random(seed), most)
    flying = "SELECT answer_id, reserved_usd FROM answers WHERE outcome = 'in_flight'"
    in_flight: dict[int, float] = dict(asked(db, flying))
    answered = len(asked(db, "SELECT 1 FROM answers WHERE outcome = 'answered'"))
    finished(db)
    with closing(sqlite3.connect(db)) as connection:
        lost = dict(connection.execute("SELECT answer_id, discarded_usd FROM answers WHERE outcome = 'lost'"))
    return Killed(in_flight, answered, lost, *final(db))


@pytest.mark.slow
def test_a_hundred_killed_runs_go_on_to_the_rows_of_an_uninterrupted_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = os.environ.get("EVALS_KILL_SEED") or secrets.token_hex(4)
    whole = tmp_path / "whole.db"
    finished(whole)
    rows, lanes = final(whole)

    begun = time.monotonic()
    with ThreadPoolExecutor(WORKERS) as pool:
        killed = list(pool.map(lambda n: cycle(tmp_path / str(n), f"{seed}-{n}", len(rows)), range(KILLS)))
    with capsys.disabled():
        sys.stdout.write(
            f"\nEVALS_KILL_SEED={seed}: {KILLS} kills in {time.monotonic() - begun:.0f} s,"
            f" after 0 to {max(one.answered for one in killed)} of {len(rows)} answers,"
            f" {sum(len(one.in_flight) for one in killed)} calls in flight\n"
        )

    assert [number for number, one in enumerate(killed) if one.rows != rows] == []
    assert [number for number, one in enumerate(killed) if one.lanes != lanes] == []
    assert [number for number, one in enumerate(killed) if one.lost != one.in_flight] == []
    assert min(bound for one in killed for bound in one.lost.values()) > 0
    assert sum(len(one.in_flight) > 1 for one in killed) > KILLS / 2
