"""A run whose endpoint does not answer ends soon, with one line, and leaves nothing behind."""

import socket
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from runner.run import preflight
from tests.runner.cli.conftest import Call
from tests.runner.cli.listening import listening

KEY = "sk-planted-0123456789"
ROUTES = ["llamacpp", "openai", "anthropic", "openai-sdk", "anthropic-sdk", "litellm/openai"]
SHIPPED = Path(__file__).parents[3] / "cases"
SUITES = {
    "diff": ("diff", "--cases", SHIPPED / "diff_edit"),
    "edit": ("edit", "run", SHIPPED / "edit" / "problems.jsonl", "--weak-sandbox"),
    "codrep": ("codrep", "run", SHIPPED / "codrep"),
    "completion": ("completion", "run", SHIPPED / "completion" / "shelf.jsonl", "--weak-sandbox"),
    "nextedit": ("nextedit", "--cases", SHIPPED / "nextedit"),
}
DIFF = SUITES["diff"]


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, keys of both vendors, and no time to lose between two looks."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(preflight, "_FIRST_WAIT_S", 0.01)
    return tmp_path


@pytest.fixture
def keys(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001 - `call` clears the variables first
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, KEY)


@pytest.fixture
def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize("how", [(), ("--parallel",)], ids=["sequential", "parallel"])
@pytest.mark.parametrize("route", ROUTES)
def test_nobody_listening_is_one_line(
    route: str, how: tuple[str, ...], closed_port: int, desk: Path, call: Call
) -> None:
    url = f"http://127.0.0.1:{closed_port}/v1"

    done = call(*DIFF, "--model-ids", f"{route}/m", "--base-url", url, *how)

    cause = f"connection refused by 127.0.0.1:{closed_port}: start the server, or check --base-url"
    assert (done.code, done.out) == (2, "")
    assert done.err == f"evals: {route}/m: {cause}; no model was asked\n"
    assert list(desk.iterdir()) == []


@pytest.mark.parametrize("suite", SUITES)
def test_every_suite_tries_its_endpoint_first(suite: str, closed_port: int, desk: Path, call: Call) -> None:
    done = call(*SUITES[suite], "--sut", "vllm/m", "--base-url", f"http://127.0.0.1:{closed_port}/v1")

    assert done.code == 2
    assert f"vllm/m: connection refused by 127.0.0.1:{closed_port}" in done.err.splitlines()[-1]
    assert not (desk / "evals.db").exists()


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize(
    "words",
    [
        ("--first-token-timeout", 5, "--idle-timeout", 5, "--total-timeout", 9),
        ("--first-byte-timeout", 5, "--wait-for-server", "1h30m"),
    ],
    ids=["deadlines", "earlier names"],
)
def test_every_suite_has_the_same_deadlines(suite: str, words: tuple[object, ...], call: Call) -> None:
    done = call(*SUITES[suite], "--sut", "sim/careful", *words, "--dry-run")

    assert done.code == 0


def test_what_is_no_duration_is_refused(call: Call) -> None:
    done = call(*DIFF, "--sut", "sim/careful", "--wait-for-server", "soon")

    assert done.code == 2
    assert done.err == "evals: --wait-for-server: 'soon' is no duration; write 90s, 10m or 1h30m\n"


def test_a_dry_run_tries_no_endpoint(call: Call) -> None:
    with listening() as server:
        assert call(*DIFF, "--sut", "vllm/m", "--base-url", server.url, "--dry-run").code == 0

    assert (server.heard, server.tried) == ([], [])


def test_a_run_that_goes_on_does_not_try_an_endpoint_that_has_answered_it(call: Call, desk: Path) -> None:
    words = (*DIFF, "--sut", "vllm/m", "--max-cases", 1, "--max-attempts-per-case", 1, "--run-id", "r")
    with listening() as server:
        call(*words, "--base-url", server.url)
        tried = len(server.tried)
        call(*words, "--base-url", server.url, "--resume", "")

    with closing(sqlite3.connect(desk / "evals.db")) as connection:
        outcomes = [row[0] for row in connection.execute("SELECT outcome FROM answers")]
    # Each session reads the models list of an own server once: the first to try it, both to learn what it is.
    assert (tried, len(server.tried)) == (1, 2)
    assert outcomes == ["answered"]


def test_a_new_run_tries_its_endpoint_whatever_answered_a_run_whose_id_begins_like_its_own(
    closed_port: int, desk: Path, call: Call
) -> None:
    words = (*DIFF, "--sut", "vllm/m", "--max-cases", 1, "--max-attempts-per-case", 1)
    with listening() as server:
        call(*words, "--base-url", server.url, "--run-id", "nightly-1")

    done = call(*words, "--base-url", f"http://127.0.0.1:{closed_port}/v1", "--run-id", "nightly")

    with closing(sqlite3.connect(desk / "evals.db")) as connection:
        runs = [row[0] for row in connection.execute("SELECT run_id FROM runs")]
    assert (done.code, runs) == (2, ["nightly-1"])
    assert done.err.endswith("; no model was asked\n")


def test_one_endpoint_that_does_not_answer_leaves_the_others_their_run(
    closed_port: int, desk: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VLLM_BASE_URL", f"http://127.0.0.1:{closed_port}/v1")

    done = call(*DIFF, "--sut", "vllm/m,sim/careful?time=virtual", "--max-cases", 2)

    with closing(sqlite3.connect(desk / "evals.db")) as connection:
        asked = {row[0] for row in connection.execute("SELECT sut FROM answers JOIN lanes USING (lane_id)")}
    assert done.code == 3
    assert asked == {"sim/careful?time=virtual"}
    cause = f"connection refused by 127.0.0.1:{closed_port}: start the server, or check --base-url"
    assert f"vllm/m: {cause}; the other models are asked" in done.err.splitlines()
    given_up = [line.partition(" of ")[2] for line in done.err.splitlines() if line.startswith("given up")]
    assert given_up == [f"vllm/m and 1 more: {cause}"]
