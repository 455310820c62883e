"""`evals completion run`: planted counts found exactly, runs that stop and go on, and what is shown of them."""

import signal
import sqlite3
import subprocess
import time
from contextlib import closing, suppress
from pathlib import Path

import orjson
import pytest

from runner.storage.runs import find_run
from runner.storage.store import Store
from runner.suites.completion.rejudging import hidden_of
from tests.completion import (
    FAST,
    TASKS,
    rows,
    total,
    words,
)
from tests.main_job import EVALS, ROOT, serving
from tests.runner.cli.conftest import Call


def test_truths_pass_wrong_answers_do_not_and_planted_rates_are_found(pair: Path, call: Call) -> None:
    suts = [f"sim/{one}?{FAST}" for one in ("truth", "wrong", "over-run", "empty")] + [f"sim/any?applied=0.5&{FAST}"]

    done = call(*words(pair, "--sut", ",".join(suts), "-n", 3))

    data = orjson.loads(done.out)
    planted = {one["sut"]: one for one in data["expected"]}
    assert done.code == 0
    for sut in suts:
        found = total(data, sut)
        assert (found["judged"], found["passed"]) == (planted[sut]["answers"], planted[sut]["right"]) == (
            12, planted[sut]["right"],
        )  # fmt: skip
        assert total(data, sut, "repaired")["passed"] == planted[sut]["repaired"]
    assert [total(data, sut)["passed"] for sut in suts[:4]] == [12, 0, 0, 3]
    assert total(data, suts[2], "repaired")["passed"] == 12
    assert total(data, suts[0])["pass_at_k"] == {"1": 1, "2": 1, "3": 1}


def test_comments_stand_apart_and_empty_answers_are_counted(pair: Path, call: Call) -> None:
    data = orjson.loads(call(*words(pair, "--sut", f"sim/empty?{FAST}")).out)

    comments = [one for one in data["completion"]["figures"] if one["block_type"] == "COMMENT"]
    assert [(one["answers"], one["judged"], one["pass_at_k"]) for one in comments] == [(1, 0, {})] * 2
    empty = data["completion"]["empty_answers"][0]
    assert {name: empty[name] for name in ("tp", "fp", "fn", "tn")} == {"tp": 1, "fp": 3, "fn": 0, "tn": 0}
    assert data["variants"][0]["outcomes"] == {"unsolved": 3, "solved": 1, "untested": 1}
    # Of what nothing tests nothing is said.
    assert data["variants"][0]["right"]["estimate"] == pytest.approx(1 / 4)
    assert [set(one["means"]) for one in comments] == [{"similarity"}] * 2


def test_the_summary_has_the_figures_of_what_is_tested_clustered_by_file(pair: Path, call: Call) -> None:
    data = orjson.loads(call(*words(pair, "--sut", f"sim/empty?{FAST}")).out)

    figures, (raw, _) = total(data, f"sim/empty?{FAST}"), data["variants"]
    assert raw["right"] == raw["scores"].pop("pass") == figures["interval"]
    assert raw["scores"] == figures["intervals"]
    shown = call("report", "latest", "--markdown", "--db", pair.parent / "e.db").out
    assert "95 % intervals, clustered by file" in shown


def test_an_empty_answer_to_a_comment_has_no_excision_score(pair: Path, call: Call) -> None:
    call(*words(pair, "--sut", f"sim/empty?{FAST}"))

    records = [orjson.loads(line) for line in call("export", "latest", "--db", pair.parent / "e.db").out.splitlines()]

    having = {(one["detail"]["block_type"], "es-token" in one["scores"]) for one in records}
    assert having == {("STATEMENT", True), ("COMMENT", False)}


def test_a_run_is_judged_once_for_all_and_replayed_without_a_test(pair: Path, call: Call) -> None:
    call(*words(pair, "--sut", f"sim/over-run?{FAST}", "--run-id", "a"))

    replayed = call("replay", "--run-id", "a", "--parser", "block,codev", "--db", pair.parent / "e.db", "--json")

    data = orjson.loads(replayed.out)
    assert replayed.code == 0
    assert (data["answers"], data["judged"]) == (5, 0)
    gained = {(one["baseline"], one["diff_algorithm"]): one["table"]["second_only"] for one in data["comparisons"]}
    assert gained == {("raw", "block"): 4, ("raw", "codev"): 0, ("repaired", "block"): 0, ("repaired", "codev"): 0}
    assert total(data["summary"], f"sim/over-run?{FAST}", "block")["passed"] == 4
    assert total(data["summary"], f"sim/over-run?{FAST}", "codev")["passed"] == 0


@pytest.mark.wide
def test_a_replay_hides_the_data_set_and_the_database_from_answers(pair: Path, call: Call) -> None:
    call(*words(pair, "--sut", f"sim/truth?{FAST}", "--run-id", "a"))
    store = Store.open(pair.parent / "e.db")

    try:
        found = hidden_of(store, find_run(store, "a"))
    finally:
        store.close()

    assert {path.name for path in found} == {"pair.jsonl", "e.db", "e.db-wal", "e.db-shm"}
    assert {path.parent for path in found} == {pair.parent}


@pytest.mark.wide
def test_a_replay_that_needs_the_judge_needs_the_repository_as_it_was(pair: Path, repo: Path, call: Call) -> None:
    call(*words(pair, "--sut", f"sim/over-run?{FAST}", "--chains", "raw", "--run-id", "a"))
    replay = ("replay", "--run-id", "a", "--parser", "repaired", "--db", pair.parent / "e.db", "--json")
    text = (repo / "pair.py").read_text()

    (repo / "pair.py").write_text(text + "# changed\n")
    refused = call(*replay)
    (repo / "pair.py").write_text(text)
    done = call(*replay)

    assert refused.code == 2
    assert "never judged" in refused.err
    assert "has changed since" in refused.err
    data = orjson.loads(done.out)
    assert data["judged"] > 0
    assert total(data["summary"], f"sim/over-run?{FAST}", "repaired")["passed"] == 4


@pytest.mark.wide
def test_a_killed_run_goes_on_and_asks_nothing_twice(pair: Path, call: Call) -> None:
    run = words(pair, "--sut", "sim/any?applied=0.5&ttft_ms=400", "-n", 4, "--max-concurrency", 2, "--run-id", "k")
    silent = subprocess.DEVNULL
    with subprocess.Popen([EVALS, *map(str, run)], cwd=ROOT, stdout=silent, stderr=silent) as process:
        deadline = time.monotonic() + 600
        while time.monotonic() < deadline and not _answered(pair):
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    before = _answered(pair)

    done = call(*run)

    data = orjson.loads(done.out)
    found, (planted,) = total(data, "sim/any?applied=0.5&ttft_ms=400"), data["expected"]
    assert 0 < before < 20
    assert (done.code, found["judged"], found["passed"]) == (0, 16, planted["right"])
    distinct = "SELECT count(*), count(DISTINCT lane_id || ' ' || number) FROM answers WHERE outcome = 'answered'"
    assert rows(pair, distinct) == [(20, 20)]


def _answered(pair: Path) -> int:
    """How many answers are on record; none while the database is being made."""
    db = pair.parent / "e.db"
    if not db.exists():
        return 0
    with suppress(sqlite3.OperationalError), closing(sqlite3.connect(f"file:{db}?mode=ro", uri=True)) as connection:
        return int(connection.execute("SELECT count(*) FROM answers WHERE outcome = 'answered'").fetchone()[0])
    return 0


@pytest.mark.wide
def test_an_answer_that_was_not_judged_is_judged_and_not_asked(pair: Path, call: Call) -> None:
    run = words(pair, "--sut", f"sim/any?applied=0.5&{FAST}", "--run-id", "a")
    first = orjson.loads(call(*run).out)
    store = Store.open(pair.parent / "e.db")
    with store.transaction():
        store.execute("DELETE FROM scores")
        store.execute("DELETE FROM scorings")
    store.close()

    again = orjson.loads(call(*run).out)

    assert again["completion"] == first["completion"]
    assert rows(pair, "SELECT count(*) FROM answers") == [(5,)]


def test_what_the_judge_cannot_tell_is_apart_and_judged_again_when_the_run_goes_on(
    pair: Path, repo: Path, call: Call
) -> None:
    flag = repo.parent / "up"
    (repo / "conftest.py").write_text(f"import os, pathlib\nif not pathlib.Path({str(flag)!r}).exists(): os._exit(5)\n")
    run = words(pair, "--sut", f"sim/truth?{FAST}", "--run-id", "i")

    broken = call(*run)
    flag.write_text("")
    mended = call(*run)

    data = orjson.loads(broken.out)
    found = total(data, f"sim/truth?{FAST}")
    assert broken.code == 3
    assert "infra: 4 answers could not be judged" in broken.err
    assert (found["answers"], found["judged"], found["infra"]) == (4, 0, 4)
    assert data["variants"][0]["outcomes"] == {"infra": 4, "untested": 1}
    assert data["variants"][0]["right"] is None
    assert mended.code == 0
    assert total(orjson.loads(mended.out), f"sim/truth?{FAST}")["passed"] == 4
    assert rows(pair, "SELECT count(*) FROM answers") == [(5,)]


@pytest.mark.wide
def test_prompts_and_chats_find_the_same_and_a_mark_in_the_text_is_no_crash(pair: Path, call: Call) -> None:
    sut = f"sim/any?applied=0.5&{FAST}"

    done = call(*words(pair, "--sut", sut, "--prompts", "basic,starcoder2,fim/suffix"))

    data = orjson.loads(done.out)
    (skipped,) = data["skipped_cases"].items()
    assert done.code == 0
    assert skipped == (
        TASKS[4].task_id,
        "cannot be asked by fim/starcoder2: the text around the hole holds the mark '<fim_middle>'",
    )
    passed = {
        one["prompt"]: one["passed"]
        for one in data["completion"]["figures"]
        if (one["scene"], one["block_type"], one["chain"]) == ("all", "all", "raw")
    }
    assert set(passed) == {"completion/basic", "fim/starcoder2", "fim/suffix"}
    assert len(set(passed.values())) == 1


def test_a_server_is_asked_by_chats_and_by_prompts(pair: Path, call: Call) -> None:
    with serving("--ttft-ms", "1", "--gap-ms", "0", cases=pair) as served:
        done = call(
            *words(pair, "--sut", "vllm/truth", "--base-url", f"{served.url}/v1", "-y", "--prompts", "basic,codegemma")
        )
        wires = {one["wire"] for one in served.log()}

    data = orjson.loads(done.out)
    assert wires == {"openai-chat", "openai-text"}
    assert [(one["prompt"], one["right"]["estimate"]) for one in data["variants"]] == [
        ("completion/basic", 1), ("completion/basic", 1), ("fim/codegemma", 1), ("fim/codegemma", 1),
    ]  # fmt: skip


def test_a_limit_takes_scenes_by_turns_and_a_budget_cuts_around_the_cursor(pair: Path, call: Call) -> None:
    done = call(*words(pair, "--sut", f"sim/truth?{FAST}", "--limit", 3, "--max-context", 400, "--prompts", "basic"))

    data = orjson.loads(done.out)
    scenes = {one["scene"] for one in data["completion"]["figures"]} - {"all"}
    assert len(scenes) == 3
    assert "are cut around the cursor" in done.err


def test_a_report_and_an_export_show_what_the_run_showed(pair: Path, call: Call) -> None:
    data = orjson.loads(call(*words(pair, "--sut", f"sim/truth?{FAST}")).out)
    db = ("--db", pair.parent / "e.db")

    reported = orjson.loads(call("report", "latest", "--json", *db).out)
    shown = call("report", "latest", "--markdown", *db).out
    records = [orjson.loads(line) for line in call("export", "latest", *db).out.splitlines()]

    assert reported["completion"] == data["completion"]
    assert "pass@1" in shown
    assert len(records) == 10
    assert {one["parser"] for one in records} == {"raw", "repaired"}
    assert records[0]["detail"]["verdict"] in {"pass", None}
    tested = next(one for one in records if one["detail"]["block_type"] != "COMMENT")
    assert {"exact", "first_line", "similarity", "es-token", "empty", "over_run"} <= set(tested["scores"])


def test_a_run_takes_what_every_run_takes_and_the_older_names(pair: Path, call: Call) -> None:
    shared = ("--name", "night", "--note", "with a budget", "--budget", 5, "--total-timeout", 60, "--rpm", 6000)
    older = ("--samples", 2, "--chains", "raw", "--limit", 1, "--workers", 1, "--prompt", "basic")

    done = call(*words(pair, "--sut", f"sim/truth?{FAST}", *shared, *older, "-y"))

    assert done.code == 0
    assert rows(pair, "SELECT name, note FROM runs") == [("night", "with a budget")]
    assert rows(pair, "SELECT count(*), count(DISTINCT parser) FROM attempts") == [(2, 1)]


def test_a_budget_of_nothing_ends_the_run_before_it_asks(pair: Path, call: Call) -> None:
    done = call(*words(pair, "--sut", "sim/careful?time=virtual", "--budget", 0, "-y"))

    assert done.code == 2
    assert done.err.startswith("evals: --budget: is $0.00, and a call of sim/careful?time=virtual may cost $0.")
    assert not (pair.parent / "e.db").exists()
