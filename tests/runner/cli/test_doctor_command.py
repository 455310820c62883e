"""`evals doctor`: what is installed, where settings come from, and whether models answer."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from runner.storage.store import Store
from suts.connection import fingerprint
from tests.runner.cli.conftest import Call

KEY = "sk-planted-0123456789"


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def checks(call: Call, *words: object) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in json.loads(call("doctor", "--json", *words).out)["checks"]}


def models(call: Call, *words: object) -> tuple[object, list[dict[str, Any]]]:
    done = call("doctor", "--json", *words)
    return done.code, json.loads(done.out)["models"]


def test_a_sound_installation_is_told_piece_by_piece(call: Call) -> None:
    done = call("doctor")
    found = checks(call)

    assert done.code == 0
    assert done.err == ""
    assert all(found[name]["state"] == "ok" for name in ("python", "evals", "packages", "grammars"))
    assert "aiohttp " in found["packages"]["detail"]
    assert {"extra litellm", "extra train", "git", "tiktoken"} <= set(found)
    assert "this installation" in done.out


def test_a_database_that_is_not_there_is_no_fault_and_is_not_made(call: Call, desk: Path) -> None:
    found = checks(call)

    assert found["database"]["state"] == "absent"
    assert list(desk.iterdir()) == []


def test_a_database_is_told_with_what_it_holds(call: Call, desk: Path) -> None:
    Store.open(desk / "evals.db").close()

    found = checks(call)

    assert found["database"]["state"] == "ok"
    assert "0 runs, 0 answers" in found["database"]["detail"]


def test_what_is_no_database_is_bad(call: Call, desk: Path) -> None:
    (desk / "notes.txt").write_text("no database")

    done = call("doctor", "--db", "notes.txt")

    assert done.code == 1
    assert "cannot be opened as a database" in done.out


def test_files_of_settings_are_told(call: Call, desk: Path) -> None:
    (desk / ".env").write_text("A=b\n")
    (desk / "evals.toml").write_text("[diff]\nseed = 1\n")

    found = checks(call)

    assert found[".env"]["detail"] == str(desk / ".env")
    assert found["evals.toml"]["detail"] == str(desk / "evals.toml")


def test_a_key_is_never_shown(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    done = call("doctor", "--model-ids", "openai/gpt-x")

    assert done.code == 0
    assert fingerprint(KEY) in done.out
    assert KEY not in done.out + done.out


def test_a_model_that_can_be_asked_is_told_without_asking_it(call: Call) -> None:
    code, found = models(call, "--model-ids", "vllm/any,sim/careful", "--base-url", "http://127.0.0.1:9/v1")

    assert code == 0
    assert [(one["sut"], one["error"], one["round_trip_ms"]) for one in found] == [
        ("vllm/any", "", None),
        ("sim/careful", "", None),
    ]


def test_a_model_without_a_key_is_a_fault_when_it_is_named(call: Call) -> None:
    code, found = models(call, "--model-ids", "openai/gpt-x")

    assert code == 1
    assert "no key; set OPENAI_API_KEY" in found[0]["error"]


def test_a_ping_needs_a_model(call: Call) -> None:
    done = call("doctor", "--ping")

    assert done.code == 2
    assert done.err == "evals: --ping: needs models to ask; name them with --model-ids\n"


def test_a_ping_tells_how_soon_a_simulated_model_answers(call: Call) -> None:
    code, found = models(call, "--ping", "--model-ids", "sim/any?time=virtual&ttft_ms=100&gap_ms=1&jitter=0")

    assert code == 0
    assert found[0]["first_byte_ms"] == pytest.approx(100, abs=1)
    assert found[0]["round_trip_ms"] >= found[0]["first_byte_ms"]
    assert found[0]["served_model"] == "simulated-any"


class _Chat(BaseHTTPRequestHandler):
    """Answers a chat of one token, after noting what was asked; a model called `gone` is not found."""

    asked: list[dict[str, Any]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append(body)
        self.send_response(404 if body["model"] == "gone" else 200)
        self.end_headers()
        chunk = {"model": "real-1", "choices": [{"delta": {"content": "ok"}, "finish_reason": "length"}]}
        self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\ndata: [DONE]\n\n")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def served() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A server's base URL, and what it was asked."""
    asked: list[dict[str, Any]] = []
    server = HTTPServer(("127.0.0.1", 0), type("Chat", (_Chat,), {"asked": asked}))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1", asked
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_ping_asks_for_one_token(call: Call, served: tuple[str, list[dict[str, Any]]]) -> None:
    url, asked = served

    code, found = models(call, "--ping", "--model-ids", "vllm/any", "--base-url", url)

    assert code == 0
    assert found[0]["served_model"] == "real-1"
    assert [one.get("max_tokens", one.get("max_completion_tokens")) for one in asked] == [1]


def test_a_ping_that_fails_is_told_beside_one_that_does_not_and_exits_with_1(
    call: Call, served: tuple[str, list[dict[str, Any]]]
) -> None:
    done = call("doctor", "--ping", "--model-ids", "vllm/any,vllm/gone", "--base-url", served[0])

    assert done.code == 1
    assert "answers" in done.out
    assert "vllm/gone: not_found: " in done.out


def test_a_model_that_never_answers_is_given_up(call: Call) -> None:
    code, found = models(call, "--ping", "--timeout", "0.05", "--model-ids", "sim/any?ttft_ms=60000")

    assert code == 1
    assert found[0]["error"] == "no answer within 0.05 s"


@pytest.mark.parametrize(
    "model,state", [("real-1", "answers"), ("whatever-70b", "another model answers")], ids=["same", "another"]
)
def test_a_ping_names_another_model_than_the_one_asked_for(
    call: Call, served: tuple[str, list[dict[str, Any]]], model: str, state: str
) -> None:
    done = call("doctor", "--ping", "--wide", "--model-ids", f"llamacpp/{model}", "--base-url", served[0])

    row = next(line for line in done.out.split("\n") if f"llamacpp/{model}" in line)
    assert row.rstrip().endswith(state)
    assert ("another" in row) is ("another" in state)
