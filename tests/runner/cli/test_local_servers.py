"""Runs against servers of one's own: what they report decides what is asked, how much at once, and what is skipped."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from runner.cli.serve_sim import book_of
from runner.suites.diff_edit.cases import load_cases
from suts.simulated.config import ServerConfig
from suts.simulated.llamacpp import LlamaCpp
from tests.runner.cli.conftest import Call
from tests.runner.cli.played_server import played

FAST = "ttft_ms=1&gap_ms=0&prose=0"
DETAILS = {"cwd_value": "/w", "os_value": "Linux", "shell_value": "bash", "home_value": "/h"}


def write_case(folder: Path, name: str, size: int) -> None:
    """A case whose question has `size` bytes beside its wording."""
    case = {
        "test_id": name,
        "messages": [{"role": "user", "text": f"Make {name} polite. {'x' * size}"}],
        "file_contents": "def greet(n):\n    return 'hi ' + n\n",
        "expected_contents": "def greet(n):\n    return 'good day, ' + n\n",
        "file_path": "app/greet.py",
        "system_prompt_details": DETAILS,
    }
    (folder / f"{name}.json").write_text(json.dumps(case))


@pytest.fixture
def cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three short cases and two long ones."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "cases"
    folder.mkdir()
    for name, size in (("a", 0), ("b", 0), ("c", 0), ("long_1", 60_000), ("long_2", 70_000)):
        write_case(folder, name, size)
    return folder


def config(cases: Path, window: int, slots: int = 1) -> ServerConfig:
    return ServerConfig(book=book_of(load_cases(cases).cases), parameters=FAST, llamacpp=LlamaCpp(window, slots))


def words(cases: Path, model: str, url: str, *more: object) -> tuple[object, ...]:
    return ("diff", "--cases", cases, "--model-ids", model, "--base-url", url, "--db", "e.db", "--yes", *more)


def rows(sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect("e.db")) as connection:
        return connection.execute(sql).fetchall()


@pytest.mark.parametrize("model, path", [("llamacpp/truth", "/v1"), ("anthropic/truth", "")])
def test_questions_that_do_not_fit_are_counted_beforehand_and_not_sent(
    cases: Path, call: Call, model: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    with played(config(cases, 12_000)) as server:
        done = call(*words(cases, model, f"{server.url}{path}"))
        asked = sorted(entry.case_id for entry in server.log)

    assert done.code == 0
    assert asked == ["a", "b", "c"]
    assert f"{model}: its server reports model simulated.gguf, context window 12,000 tokens, 1 slot" in done.err
    reason = "too long for the context window of 12,000 tokens, by the server's tokenizer"
    assert f"{model}: 2 of 5 questions are skipped: {reason}\n" in done.err
    assert f"too long, in no rate: 2 of {model}: {reason}: long_1 (basic), long_2 (basic)" in " ".join(done.out.split())
    assert "given up" not in done.err
    assert rows("SELECT state FROM runs") == [("complete",)]


def test_a_refusal_by_the_server_is_final_for_its_case_and_the_run_is_complete(cases: Path, call: Call) -> None:
    # The tokenizer counts the texts alone; with the wording of its template the shortest question is just too long.
    with played(config(cases, 12_000)) as server:
        call(*words(cases, "llamacpp/truth", f"{server.url}/v1", "--max-cases", 1))
        window = server.log[0].usage.input - 1 if server.log[0].usage else 0
    with played(config(cases, window)) as server:
        done = call(*words(cases, "llamacpp/truth", f"{server.url}/v1", "--db", "f.db", "--max-cases", 1))
        asked = len(server.log)

    assert asked == 1
    assert done.code == 1
    assert "too long: a of llamacpp/truth: 400 exceed_context_size_error" in " ".join(done.err.split())
    assert "infrastructure, in no rate: llamacpp/truth: 1 too_long" in done.out
    assert "resume" not in done.err


def test_what_did_not_fit_is_asked_once_the_window_is_larger(cases: Path, call: Call) -> None:
    with played(config(cases, 12_000)) as server:
        port, data = server.port, server.service
        call(*words(cases, "llamacpp/truth", f"{server.url}/v1", "--run-id", "r"))
    larger = config(cases, 40_000)
    with played(ServerConfig(book=larger.book, parameters=FAST, llamacpp=larger.llamacpp, port=port)) as server:
        assert server.service is not data
        done = call(*words(cases, "llamacpp/truth", f"{server.url}/v1", "--run-id", "r"))
        asked = sorted(entry.case_id for entry in server.log)

    assert (done.code, asked) == (0, ["long_1", "long_2"])
    assert rows("SELECT * FROM overflows") == []
    assert "too long" not in done.out


def test_no_more_is_sent_at_once_than_the_server_has_slots_unless_told(cases: Path, call: Call) -> None:
    with played(config(cases, 40_000, slots=2)) as server:
        done = call(*words(cases, "llamacpp/truth", f"{server.url}/v1", "--parallel"))
        more = call(*words(cases, "llamacpp/truth", f"{server.url}/v1", "--max-concurrency", 7, "--db", "f.db"))

    assert "at most 50 attempts, 2 at once" in done.err
    assert "at most 50 attempts, 7 at once" in more.err
    assert (done.code, more.code) == (0, 0)


def test_the_server_s_own_speed_is_in_the_report_and_in_show(cases: Path, call: Call) -> None:
    with played(config(cases, 40_000)) as server:
        done = call(*words(cases, "llamacpp/truth", f"{server.url}/v1", "--json"))
        shown = call("show", "latest", "a", "--db", "e.db")
        reported = call("report", "latest", "--db", "e.db")
        (written,) = {entry.usage.output for entry in server.log if entry.case_id == "a" and entry.usage}

    (speed,) = json.loads(done.out)["speeds"]
    # 0.5 ms for each token that is read and 10 ms for each that is written.
    assert (speed["prompt_per_s"], speed["output_per_s"], speed["measured_by"]) == (2000, 100, "server")
    assert "  tokens a second, by the server's own times: 2,000 read, 100 written\n" in shown.out
    assert "speed: tokens per second" in reported.out
    assert rows("SELECT server_output_ms FROM answers JOIN lanes USING (lane_id) WHERE case_id = 'a'") == [
        (written * 10.0,)
    ]


def test_simulated_models_in_process_ask_no_server_and_report_no_speed(cases: Path, call: Call) -> None:
    done = call("diff", "--cases", cases, "--model-ids", f"sim/truth?{FAST}", "--db", "e.db", "--json")

    assert json.loads(done.out)["speeds"] == []
    assert "its server" not in done.err
