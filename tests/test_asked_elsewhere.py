"""Runs that workers of Dask ask: the same rows as without, when one is killed too, within one budget and one rate."""

import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from runner.run.budget import spent_usd
from runner.storage.store import Store
from tests.main_job import EVALS, KEYS, MODEL, ROOT, evals, serving

DASK = ("--executor", "dask", "--jobs", 2)
SLOW = "time=real&ttft_ms=80"
RUNS: dict[str, Sequence[object]] = {
    "diff": ("diff", f"sim/sloppy?{SLOW}", "-n", 2, "--max-concurrency", 12),
    "nextedit": ("nextedit", "--cases", "cases/nextedit", "--sut", f"sim/sloppy?{SLOW}", "--max-concurrency", 4),
    "completion": (
        *("completion", "run", "cases/completion/shelf.jsonl", "--model-ids", f"sim/any?valid=0.8&{SLOW}"),
        *("--max-cases", 4, "--max-concurrency", 4, "-n", 2, "--yes"),
    ),
}
LOST = "SELECT count(*) > 0 FROM calls WHERE error_text LIKE 'its worker ended%'"
FINAL = """
SELECT a.sut, a.prompt, a.case_id, a.number, a.outcome, a.valid, a.input_tokens, a.output_tokens, a.cost_usd
FROM attempts a WHERE a.outcome NOT IN ('lost', 'sut_error') ORDER BY 1, 2, 3, 4, 5, 7, 8"""


def rows(db: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(db, timeout=30)) as connection:
        return connection.execute(sql).fetchall()


def answered(db: Path) -> int:
    try:
        return len(rows(db, "SELECT 1 FROM answers WHERE outcome = 'answered'")) if db.exists() else 0
    except sqlite3.OperationalError:
        return 0


def workers_of(process: "subprocess.Popen[str]") -> Iterator[int]:
    """The processes of Dask that a command has started."""
    for thread in Path(f"/proc/{process.pid}/task").iterdir():
        for child in (thread / "children").read_text().split():
            if "spawn_main" in Path(f"/proc/{child}/cmdline").read_text():
                yield int(child)


def asked_with_a_kill(words: Sequence[object], db: Path) -> tuple[int, str]:
    """Run a command until some answers are there, kill one of its workers; return how it ends, and what it says."""
    command = [str(EVALS), *map(str, (*words, "--db", db))]
    process = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **KEYS}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    while answered(db) < 5 and process.poll() is None:
        time.sleep(0.02)
    os.kill(next(workers_of(process)), signal.SIGKILL)
    said = process.communicate(timeout=300)[1]
    return process.returncode, said


@pytest.mark.wide
@pytest.mark.parametrize("suite", RUNS)
def test_a_run_has_the_same_rows_with_workers_of_which_one_is_killed(suite: str, tmp_path: Path) -> None:
    words = RUNS[suite]
    one, two, dask, merged = (tmp_path / f"{name}.db" for name in ("one", "two", "dask", "merged"))
    shards = [tmp_path / f"shard-{index}.db" for index in (1, 2)]

    done = [evals(*words, "--db", one, "--jobs", 1), evals(*words, "--db", two, "--jobs", 2)]
    done += [evals(*words, "--db", db, "--shard", f"{index}/2") for index, db in enumerate(shards, 1)]
    done.append(evals("merge", merged, *shards))
    code, said = asked_with_a_kill((*words, *DASK), dask)

    assert [end.returncode for end in done] == [0] * 5, [end.stderr for end in done]
    assert code == 0, said
    expected = rows(one, FINAL)
    assert len(expected) > 10
    assert [rows(db, FINAL) for db in (two, merged, dask)] == [expected] * 3
    assert rows(dask, LOST) == [(1,)]


@pytest.mark.wide
def test_a_budget_holds_over_all_workers_when_one_is_killed(tmp_path: Path) -> None:
    db = tmp_path / "evals.db"
    budget = 0.35

    words = ("diff", f"sim/sloppy?{SLOW}", "-n", 9, "--max-concurrency", 12, "--budget", budget, "--run-id", "r")
    code, said = asked_with_a_kill((*words, *DASK), db)

    with closing(Store.open(db)) as store:
        spent = spent_usd(store, "r")
    assert code == 3, said
    assert 0.7 * budget < spent <= budget
    assert rows(db, LOST) == [(1,)]


@pytest.mark.wide
def test_a_rate_holds_over_all_workers(tmp_path: Path) -> None:
    with serving() as server:
        model = ("--provider", "openai", "--base-url", f"{server.url}/v1", "--model-ids", MODEL)
        words = ("diff", *model, "--parallel", "--rpm", 600, "--db", tmp_path / "evals.db", *DASK)
        done = subprocess.run([str(EVALS), *map(str, words)], cwd=ROOT, env={**os.environ, **KEYS}, check=False)
        log = server.log()

    moments = sorted(entry["arrived_ns"] for entry in log)
    assert done.returncode == 0
    assert len(moments) > 29
    # The requests of one second may be sent at once, and some take a while to arrive.
    assert (moments[-1] - moments[0]) / 1e9 >= (len(moments) - 1 - 10) / 10 - 0.3
