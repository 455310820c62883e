"""One model at two servers, one that fails half its calls and one that is slow: the results are those of one server."""

import json
import sqlite3
from collections import Counter
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from runner.cli.serve_sim import book_in
from suts.simulated.config import ServerConfig
from suts.simulated.faults import Faults
from tests.runner.cli.conftest import Call
from tests.runner.cli.played_server import played

SHIPPED = Path(__file__).parents[3] / "cases"
MODEL = "openai/any?applied=0.6&valid=0.7"
BOOK = book_in(SHIPPED / "diff_edit")
QUICK, SLOW = "ttft_ms=1&gap_ms=0&prose=0", "ttft_ms=60&gap_ms=0&prose=0"
HALF = Faults({"500": 0.25, "cut": 0.25})
# Where there are few questions, half of their calls may all go well: the first two about each fail.
FIRST = Faults({"500": 0.25, "cut": 0.25}, first=True)
ROWS = """
SELECT l.prompt, l.case_id, l.state, a.number, s.diff_algorithm, s.outcome, s.valid, s.solved, s.equals_expected,
    t.digest
FROM scorings s JOIN answers a USING (answer_id) JOIN lanes l USING (lane_id) JOIN texts t ON t.text_id = a.text_id"""
SENT = """
SELECT l.case_id, a.number, c.retry, c.replica
FROM calls c JOIN answers a USING (answer_id) JOIN lanes l USING (lane_id)"""
SUITES = {
    "diff": ("diff", "--cases", SHIPPED / "diff_edit", "-n", 2, "--max-cases", 8),
    "codrep": ("codrep", "run", SHIPPED / "codrep"),
    "completion": ("completion", "run", SHIPPED / "completion" / "shelf.jsonl", "--limit", 2, "-y"),
}
CASES = {"diff": "diff_edit", "codrep": "codrep", "completion": "completion/shelf.jsonl"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Work in a folder of its own, with a key; `call` removes the keys that it finds."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-0123456789")
    return call


def rows(db: str, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(db)) as connection:
        return sorted(connection.execute(sql).fetchall(), key=repr)


def servers(suite: str) -> tuple[ServerConfig, ServerConfig, ServerConfig]:
    """A sound server, one that fails half its calls, and a slow one."""
    book = book_in(SHIPPED / CASES[suite])
    return (
        ServerConfig(book=book, parameters=QUICK),
        ServerConfig(book=book, parameters=QUICK, faults=HALF if suite == "diff" else FIRST),
        ServerConfig(book=book, parameters=SLOW),
    )


@pytest.mark.parametrize(
    "suite",
    ["diff", pytest.param("codrep", marks=pytest.mark.wide), pytest.param("completion", marks=pytest.mark.wide)],
)
def test_two_servers_with_faults_give_the_results_of_one_that_is_sound(suite: str, call: Call) -> None:
    words = (*SUITES[suite], "--model-ids", MODEL, "--yes", "--max-concurrency", 6)
    with ExitStack() as stack:
        sound, failing, slow = (stack.enter_context(played(config)) for config in servers(suite))
        alone = call(*words, "--base-url", f"{sound.url}/v1", "--db", "one.db")
        urls = [word for server in (failing, slow) for word in ("--base-url", f"{server.url}/v1")]
        shared = call(*words, *urls, "--db", "two.db")
        hosts = [server.url.removeprefix("http://") for server in (failing, slow)]

    assert (alone.code, shared.code) == (0, 0), alone.err + shared.err
    assert rows("two.db", ROWS) == rows("one.db", ROWS) != []
    calls = Counter(rows("two.db", "SELECT replica, outcome FROM calls"))
    assert {host for host, _ in calls} == set(hosts)
    assert calls[hosts[0], "failed"] > 0 == calls[hosts[1], "failed"]


def test_a_run_goes_on_with_other_servers(call: Call) -> None:
    words = ("diff", "--cases", SHIPPED / "diff_edit", "--max-cases", 3, "--model-ids", MODEL, "--db", "e.db", "--yes")
    with ExitStack() as stack:
        first, *others = (stack.enter_context(played(ServerConfig(book=book, parameters=QUICK))) for book in [BOOK] * 3)
        begun = call(*words, "--run-id", "r", "--base-url", f"{first.url}/v1")
        urls = [word for server in others for word in ("--base-url", f"{server.url}/v1")]
        more = call(*words, "--run-id", "r", "-n", 3, *urls)
        last = call(*words, "--run-id", "r", "-n", 4, "--base-url", f"{others[0].url}/v1")
        hosts = {server.url.removeprefix("http://") for server in (first, *others)}

    assert [done.code for done in (begun, more, last)] == [0, 0, 0], more.err + last.err
    assert {host for (host,) in rows("e.db", "SELECT replica FROM calls")} == hosts
    assert set(rows("e.db", "SELECT endpoint FROM variants")) == {("replicas",)}


@pytest.mark.wide
def test_what_several_servers_answered_is_replayed_reported_merged_bundled_and_exported(call: Call) -> None:
    words = ("diff", "--cases", SHIPPED / "diff_edit", "--max-cases", 2, "--model-ids", MODEL, "--db", "e.db", "--yes")
    with ExitStack() as stack:
        servers = [stack.enter_context(played(ServerConfig(book=BOOK, parameters=QUICK))) for _ in range(2)]
        urls = [word for server in servers for word in ("--base-url", f"{server.url}/v1")]
        asked = call(*words, "--run-id", "r", *urls)
    done = [
        asked,
        call("replay", "--run-id", "r", "--diff-apply", "v3", "--db", "e.db"),
        call("report", "r", "--db", "e.db", "--json"),
        call("merge", "all.db", "e.db"),
        call("bundle", "r", "--db", "all.db", "--out", "r.evals"),
        call("verify", "r.evals"),
        call("import", "r.evals", "--db", "again.db"),
        call("export", "r", "--db", "again.db", "--format", "jsonl"),
    ]

    assert [ended.code for ended in done] == [0] * len(done), [ended.err for ended in done]
    assert len(json.loads(done[2].out)["replicas"]) == 2
    sent = rows("e.db", SENT)
    assert len({call[-1] for call in sent}) == 2
    assert rows("again.db", SENT) == sent


def test_a_file_names_several_servers_and_each_is_pinged(call: Call, project: Path) -> None:
    with ExitStack() as stack:
        servers = [stack.enter_context(played(ServerConfig(book=BOOK, parameters=QUICK))) for _ in range(2)]
        urls = [f"{server.url}/v1" for server in servers]
        (project / "evals.toml").write_text(f"base-url = {urls}\n")
        assert call("trust", "--yes").code == 0
        done = call("doctor", "--ping", "--model-ids", "openai/any", "--json")
        planned = call("diff", "openai/any", "--cases", SHIPPED / "diff_edit", "--dry-run", "--json")

    assert [(model["base_url"], model["error"]) for model in json.loads(done.out)["models"]] == [
        (url, "") for url in urls
    ]
    assert json.loads(planned.out)["systems"][0]["endpoint"] == ", ".join(urls)


def test_an_agent_takes_one_base_url(call: Call) -> None:
    urls = ("--base-url", "http://127.0.0.1:1/v1", "--base-url", "http://127.0.0.1:2/v1")

    done = call("diff", "agent:true", *urls, "--cases", SHIPPED / "diff_edit", "--yes")

    assert (done.code, done.err) == (2, "evals: --base-url: is given 2 times, and agent:true takes one; give it once\n")
