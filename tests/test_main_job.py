"""The main job from end to end: the command, the wire, the database, against simulated models over HTTP."""

import json
import signal
import sqlite3
import subprocess
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from tests.main_job import (
    EVALS,
    FAULTS,
    INFRASTRUCTURE,
    ROOT,
    diff_words,
    evals,
    exported,
    final_rows,
    hundred_cases,
    planted,
    scored,
    serving,
    started,
)


@pytest.mark.parametrize(
    "faults", [pytest.param("", id="no faults"), pytest.param(FAULTS, id="every fault", marks=pytest.mark.slow)]
)
def test_a_run_finds_the_planted_counts_exactly(tmp_path: Path, faults: str) -> None:
    db = tmp_path / "evals.db"
    want = planted(quota=2)

    with serving("--ttft-ms", "10", "--gap-ms", "1", *(["--fault", faults] if faults else [])) as server:
        done = started(*diff_words(server.url, db, "--idle-timeout", 2))
    rows = scored(exported(db))

    assert done.returncode == 0, done.stderr
    assert len(rows) == want.attempts
    assert sum(row["valid"] for row in rows) == want.valid
    assert sum(row["applied"] for row in rows) == want.applied
    assert dict(sorted(Counter(row["outcome"] for row in rows).items())) == want.outcomes


@pytest.mark.slow
def test_every_fault_leaves_its_trace_and_no_wrong_answer(tmp_path: Path) -> None:
    db = tmp_path / "evals.db"

    with serving("--ttft-ms", "5", "--gap-ms", "1", "--fault", FAULTS) as server:
        evals(*diff_words(server.url, db, "--idle-timeout", 2))
        stats = server.stats()
    rows = exported(db)

    assert sum(row["retries"] for row in rows) > 20
    assert {row["outcome"] for row in rows} & INFRASTRUCTURE <= {"timeout"}
    assert stats["whole"] == len(scored(rows))


@pytest.mark.slow
def test_two_hundred_slots_are_two_hundred_streams_at_once(tmp_path: Path) -> None:
    cases = hundred_cases(tmp_path / "cases")
    peaks = []

    # A busy machine may need longer to open them than the first answers take, so these take longer the second time.
    for first_token_ms in ("2500", "25000"):
        with serving("--ttft-ms", first_token_ms, "--gap-ms", "5", cases=cases) as server:
            db = tmp_path / f"{first_token_ms}.db"
            done = evals(*diff_words(server.url, db, "--cases", cases, "--max-concurrency", 200))
            peaks.append(server.stats()["peak"])
        assert done.returncode == 0, done.stderr
        if peaks[-1] == 200:
            break

    assert peaks[-1] == 200


@pytest.mark.wide
def test_a_killed_run_goes_on_to_the_rows_of_an_uninterrupted_one(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole.db", tmp_path / "killed.db"
    models = "sim/sloppy?ttft_ms=300,sim/any?valid=0.6&ttft_ms=300"
    slots = ("--max-concurrency", 20)
    words = ["diff", "--model-ids", models, "-n", 2, *slots, "--run-id", "r1", "--seed", 7]
    evals(*words, "--db", whole)

    for answers in (5, 30, 60):
        killed_after(answers, killed, [str(EVALS), *map(str, words), "--db", str(killed)])
    done = evals(*words, "--db", killed)
    rows = exported(killed, "r1")

    assert done.returncode == 0, done.stderr
    assert any(row["outcome"] == "lost" for row in rows)
    assert final_rows(rows) == final_rows(exported(whole, "r1"))


def killed_after(answers: int, db: Path, command: list[str]) -> None:
    """Run a command until the database holds so many answers, then kill it without warning."""
    run = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while run.poll() is None and answered(db) < answers:
        time.sleep(0.02)
    assert run.poll() is None, "the run ended before it could be killed"
    run.send_signal(signal.SIGKILL)
    run.wait()


def answered(db: Path) -> int:
    if not db.exists():
        return 0
    with closing(sqlite3.connect(db)) as connection:
        try:
            count: int = connection.execute("SELECT count(*) FROM answers WHERE outcome = 'answered'").fetchone()[0]
        except sqlite3.OperationalError:
            return 0  # the tables are still being made
    return count


def test_another_configuration_under_the_same_run_id_is_refused_with_the_difference(tmp_path: Path) -> None:
    words = ["diff", "--max-cases", 2, "--db", tmp_path / "evals.db", "--run-id", "mine"]
    evals(*words, "--model-ids", "sim/careful?time=virtual")

    done = evals(*words, "--model-ids", "sim/careful?time=virtual", "--seed", 4)

    assert done.returncode == 2
    assert "seed was 0, is 4" in done.stderr


def test_more_attempts_are_the_same_run_with_a_larger_quota(tmp_path: Path) -> None:
    db = tmp_path / "evals.db"
    words = ["diff", "--model-ids", "sim/careful?time=virtual", "--db", db, "--run-id", "mine", "--max-cases", 3]
    evals(*words, "-n", 1)
    before = len(exported(db))

    done = evals(*words, "-n", 3)
    rows = exported(db)

    assert done.returncode == 0, done.stderr
    assert before < len(rows)
    assert sum(row["valid"] for row in rows) == 9


def test_recorded_messages_are_scored_without_asking(tmp_path: Path) -> None:
    db = tmp_path / "evals.db"

    done = evals("diff", "--replay", "--db", db)
    rows = exported(db)

    assert done.returncode == 0, done.stderr
    assert {row["model_id"] for row in rows} == {"recorded"}
    assert {row["round_trip_ms"] for row in rows} == {None}
    assert sum(row["applied"] for row in rows) > len(rows) / 2


def test_prompts_and_algorithms_make_variants_and_each_answer_is_asked_for_once(tmp_path: Path) -> None:
    db = tmp_path / "evals.db"

    words = ("--prompts", "basic,strict", "--diff-apply", "v1,v3,v4", "--max-cases", 4)
    done = evals("diff", "--model-ids", "sim/careful?time=virtual&valid=1", "--db", db, *words)
    rows = exported(db)

    assert done.returncode == 0, done.stderr
    assert len({row["variant"] for row in rows}) == 6
    assert len(rows) == 2 * 3 * 4
    assert len({(row["prompt"], row["case_id"], row["number"]) for row in rows}) == 8


def test_the_original_names_are_accepted_with_a_note(tmp_path: Path) -> None:
    names = ("--system-prompt-name", "basicSystemPrompt", "--parsing-function", "parseAssistantMessageV2")

    words = ("--diff-edit-function", "diff-06-26-25", "--sut", "sim/careful?time=virtual", "--max-cases", 1)
    done = evals("diff", *names, *words, "--db", tmp_path / "evals.db")

    assert done.returncode == 0, done.stderr
    assert "basicSystemPrompt is called basic here" in done.stderr


def test_a_dry_run_asks_nobody_and_writes_nothing(tmp_path: Path) -> None:
    db = tmp_path / "evals.db"

    done = evals("diff", "--model-ids", "openai/gpt-4o", "--dry-run", "--db", db)

    assert done.returncode == 0, done.stderr
    assert "estimated cost $" in done.stderr
    assert not db.exists()


def test_a_refused_key_gives_up_at_once_and_can_be_resumed(tmp_path: Path) -> None:
    db = tmp_path / "evals.db"

    with serving("--key-env", "SERVED_KEY", SERVED_KEY="sk-right") as server:
        refused = evals(*diff_words(server.url, db, "--run-id", "r", "--max-cases", 3))
        mended = evals(*diff_words(server.url, db, "--run-id", "r", "--max-cases", 3), OPENAI_API_KEY="sk-right")

    assert refused.returncode == 3
    assert "given up" in refused.stderr
    assert "sk-test" not in refused.stderr
    assert mended.returncode == 0, mended.stderr


def test_local_files_hold_the_attempts_of_each_case(tmp_path: Path) -> None:
    folder = tmp_path / "local"

    words = ("--max-cases", 2, "--save-locally", folder, "--db", tmp_path / "evals.db")
    evals("diff", "--model-ids", "sim/careful?time=virtual", *words)

    files = sorted(folder.iterdir())
    assert len(files) == 2
    assert json.loads(files[0].read_text())[0]["model_id"] == "sim/careful?time=virtual"


def test_json_goes_to_stdout_and_words_to_stderr(tmp_path: Path) -> None:
    done = started("diff", "--model-ids", "sim/careful?time=virtual", "--json", "--db", tmp_path / "evals.db")

    summary = json.loads(done.stdout)
    assert summary["variants"][0]["simulated"] is True
    assert "29 valid attempts" in done.stderr
