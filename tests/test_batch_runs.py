"""Runs that ask by batch APIs: planted counts, half the price, no clocks, and nothing asked twice after a kill."""

import json
import os
import signal
import sqlite3
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.main_job import EVALS, KEYS, MODEL, ROOT, Served, evals, exported, final_rows, planted, scored, serving

PATHS = {"openai": "/v1", "openai-responses": "/v1", "anthropic": ""}
PRICE = {"input": 1.0, "output": 10.0}
both = pytest.mark.parametrize("provider", ["openai", "anthropic"])
providers = pytest.mark.parametrize(
    "provider", ["openai", *(pytest.param(name, marks=pytest.mark.wide) for name in ("anthropic", "openai-responses"))]
)


def words(provider: str, url: str, db: Path, *more: object) -> list[object]:
    model = ("--model-ids", f"{provider}/{MODEL}", "--base-url", url + PATHS[provider])
    return ["diff", *model, "--db", db, "--batch-api", "--poll-batches", 0.02, *more]


def price_table(folder: Path, provider: str) -> Path:
    table = folder / "prices.json"
    table.write_text(json.dumps({"date": "2026-11-01", "models": [{"model": f"{provider}/{MODEL}", **PRICE}]}))
    return table


@providers
def test_a_run_in_batches_finds_the_planted_counts_at_half_the_price(tmp_path: Path, provider: str) -> None:
    db, want = tmp_path / "evals.db", planted(quota=1)

    with serving("--batches", "polls=1,lost=1,cut=1,expired=0.1", "--fault", "500=0.1") as server:
        done = evals(*words(provider, server.url, db, "--prices", price_table(tmp_path, provider)))
        log = server.log()
    rows = scored(exported(db))

    assert done.returncode == 0, done.stderr
    assert dict(sorted(Counter(row["outcome"] for row in rows).items())) == want.outcomes
    assert sum(entry["whole"] for entry in log) == len(rows) == want.attempts
    for row in rows:
        read = sum(row[name] or 0 for name in ("input_tokens", "cache_read_tokens", "cache_write_tokens"))
        paid = read * PRICE["input"] + row["output_tokens"] * PRICE["output"]
        assert row["cost_usd"] == pytest.approx(paid / 2e6)
        assert row["round_trip_ms"] is row["time_to_first_edit_ms"] is None
    assert "answers were collected in batches: when each of them came is unknown" in done.stdout
    assert "a batch of 29 requests" in done.stderr


def test_a_replay_reads_the_answers_of_batches_again_and_agrees(tmp_path: Path) -> None:
    db = tmp_path / "evals.db"
    with serving() as server:
        asked = evals(*words("anthropic", server.url, db, "--max-cases", 3))

    done = evals("replay", "--run-id", "latest", "--db", db, "--diff-apply", "v1,v4", "--json")

    assert asked.returncode == done.returncode == 0, done.stderr
    assert "differ" not in done.stderr
    assert final_rows([row for row in exported(db) if row["diff_algorithm"] == "v4"])


def test_native_calls_come_in_batches_too(tmp_path: Path) -> None:
    db = tmp_path / "evals.db"
    with serving() as server:
        done = evals(*words("openai-responses", server.url, db, "--max-cases", 3, "--calls", "native"))

    assert done.returncode == 0, done.stderr
    assert sum(row["valid"] for row in exported(db)) == 3


REFUSED = [
    (("diff", "sim/any", "--batch-api"), "--batch-api: there is no batch API"),
    (("diff", "openai/any", "--batch-api", "--rpm", 5), "--rpm: is for requests that are sent one by one"),
    (("diff", "openai/any", "--batch-api", "--poll-batches", "0"), "--poll-batches: is no time"),
    (("diff", "agent:true", "--batch-api"), "--batch-api: an agent asks one question after another"),
]


@pytest.mark.parametrize("command, message", REFUSED)
def test_what_cannot_be_asked_in_batches_is_refused(tmp_path: Path, command: tuple[object, ...], message: str) -> None:
    done = evals(*command, "--db", tmp_path / "evals.db")

    assert done.returncode == 2
    assert message in done.stderr


def begun(command: list[object], folder: Path) -> "subprocess.Popen[bytes]":
    with (folder / "screen").open("ab") as screen:
        return subprocess.Popen([str(EVALS), *map(str, command)], cwd=ROOT, env={**os.environ, **KEYS}, stderr=screen)


def until(condition: Callable[[], object]) -> None:
    while not condition():
        time.sleep(0.01)


def batches_on_record(db: Path) -> int:
    if not db.exists():
        return 0
    with closing(sqlite3.connect(db, timeout=30)) as connection:
        try:
            return int(connection.execute("SELECT count(*) FROM batches").fetchone()[0])
        except sqlite3.OperationalError:
            return 0


def asked_so_far(server: Served) -> int:
    return int(server.stats()["requests"])


MOMENTS: dict[str, Callable[[Path, Served], object]] = {
    "a batch is on record": lambda db, _server: batches_on_record(db),
    "a batch is submitted": lambda _db, server: asked_so_far(server),
    "a second batch is submitted": lambda _db, server: asked_so_far(server) > 29,
}


@pytest.mark.wide
@both
@pytest.mark.parametrize("moment", MOMENTS)
def test_after_a_kill_the_answers_are_collected_and_nothing_is_asked_twice(
    tmp_path: Path, provider: str, moment: str
) -> None:
    db, want = tmp_path / "evals.db", planted(quota=1)
    with serving("--batches", "polls=4,lost=1") as server:
        command = words(provider, server.url, db, "--run-id", "r1")
        killed = begun(command, tmp_path)
        until(lambda: MOMENTS[moment](db, server) or killed.poll() is not None)
        killed.send_signal(signal.SIGKILL)
        killed.wait()

        done = evals(*command)
        asked = asked_so_far(server)
    rows = scored(exported(db))

    assert killed.returncode == -signal.SIGKILL
    assert done.returncode == 0, done.stderr
    assert asked == len(rows) == want.attempts
    assert dict(sorted(Counter(row["outcome"] for row in rows).items())) == want.outcomes


@pytest.mark.wide
def test_an_interrupted_session_leaves_its_batch_to_the_next(tmp_path: Path) -> None:
    db = tmp_path / "evals.db"
    with serving("--batches", "polls=1000000") as server:
        command = words("openai", server.url, db, "--run-id", "r1")
        process = begun(command, tmp_path)
        until(lambda: asked_so_far(server) or process.poll() is not None)
        until(lambda: b"a batch of 29 requests" in (tmp_path / "screen").read_bytes() or process.poll() is not None)
        process.send_signal(signal.SIGINT)
        code = process.wait()
        asked = asked_so_far(server)
    with closing(sqlite3.connect(db)) as connection:
        outcomes = dict(connection.execute("SELECT outcome, count(*) FROM answers GROUP BY outcome"))
    merged = evals("merge", tmp_path / "all.db", db)

    assert code == 3
    assert asked == 29
    assert outcomes == {"in_flight": 29}
    assert merged.returncode == 2
    assert "run r1 waits for a batch; resume it there" in merged.stderr
    screen = (tmp_path / "screen").read_text()
    assert "draining: batches go on at their vendor's" in screen
    assert "incomplete; resume" in screen


@pytest.mark.wide
def test_a_batch_api_that_is_gone_ends_the_session_and_the_run_can_be_resumed(tmp_path: Path) -> None:
    with serving("--batches", "polls=1000000") as server:
        process = begun(words("anthropic", server.url, tmp_path / "evals.db", "--run-id", "r1"), tmp_path)
        until(lambda: b"a batch of 29 requests" in (tmp_path / "screen").read_bytes() or process.poll() is not None)
    code = process.wait()

    assert code == 3
    assert "stopped: the batch API does not answer: " in (tmp_path / "screen").read_text()
