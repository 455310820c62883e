"""The real Claude Code, where it is installed: its cost, its first edit and its limits, by both routes."""

import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from runner.agents.limits import ENDINGS
from suts.claude_session import SDKS
from tests.main_job import evals, exported, serving

# What it sends depends on its version.
VERSIONS = ("2.1.197", "2.1.330", "2.1.332")
RIGHT, LOOP = "sim/any?applied=1", "sim/any?valid=0&loops=1&gives_up=0&other_file=0"


def missing(route: str) -> str:
    """Why it cannot be tried here, "" if it can."""
    if route == "claude-sdk" and not any(map(find_spec, SDKS)):
        return "no SDK of Claude Code; run `make claude`"
    path = shutil.which("claude")
    if path is None:
        return "no `claude` in PATH; run `make claude`"
    shown = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60, check=False).stdout
    return "" if shown.startswith(VERSIONS) else f"`claude` is {shown.strip()}, none of {', '.join(VERSIONS)}"


@pytest.fixture(params=["claude-code", "claude-sdk"])
def route(request: pytest.FixtureRequest) -> str:
    """How the program is started."""
    name: str = request.param
    if reason := missing(name):
        pytest.skip(reason)
    return name


def words(route: str, model: str, url: str, folder: Path, *more: object) -> tuple[object, ...]:
    """A command that asks a model at a known price, with its database in the folder."""
    price = {"model": f"anthropic/{model}", "input": 1.0, "output": 2.0}
    (folder / "prices.json").write_text(json.dumps({"date": "2026-01-01", "models": [price]}))
    given = ("--base-url", url, "--prices", folder / "prices.json", "--db", folder / "evals.db")
    return "diff", f"{route}/{model}", *given, *more


@pytest.mark.slow
def test_claude_code_edits_at_a_known_cost_four_at_once_and_reports_the_same_tokens(route: str, tmp_path: Path) -> None:
    with serving("--ttft-ms", "5", "--gap-ms", "0") as served:
        four = ("--max-cases", "2", "-n", "2", "--max-concurrency", "4")
        done = evals(*words(route, RIGHT, served.url, tmp_path, *four))
        log = served.log()

    assert done.returncode == 0, done.stderr
    rows = exported(tmp_path / "evals.db")
    tokens = [sum(entry["usage"][side] for entry in log) for side in ("input", "output")]
    assert [row["outcome"] for row in rows] == ["applied"] * 4
    assert all(row["equals_expected"] for row in rows)
    assert [sum(row[name] for row in rows) for name in ("input_tokens", "output_tokens")] == tokens
    assert sum(row["cost_usd"] for row in rows) == pytest.approx((tokens[0] + 2 * tokens[1]) / 1e6)
    assert all(0 < row["time_to_first_edit_ms"] < row["round_trip_ms"] for row in rows)


@pytest.mark.slow
@pytest.mark.parametrize(
    "limit",
    ["seconds=0.5", "turns=3", "calls=3", "usd=0.08", "processes=6", "memory=100M", "disk=20k"],
)
def test_each_limit_ends_claude_code_with_its_outcome(limit: str, route: str, tmp_path: Path) -> None:
    with serving("--ttft-ms", "5", "--gap-ms", "0") as served:
        once = ("--max-cases", "1", "--max-attempts-per-case", "1", "--agent-limits", limit)
        evals(*words(route, LOOP, served.url, tmp_path, *once))
        answered = len(served.log())

    [row] = exported(tmp_path / "evals.db")
    assert row["outcome"] == ENDINGS[limit.partition("=")[0]]
    assert answered <= 3 or limit.startswith(("seconds", "processes", "memory", "disk"))


def test_without_an_sdk_it_is_said_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SDKS:
        monkeypatch.setitem(sys.modules, name, None)
    given = ("--base-url", "http://127.0.0.1:9", "--db", tmp_path / "evals.db")

    done = evals("diff", "claude-sdk/any", *given)

    assert done.returncode == 2
    assert "pip install 'evals[claude]'" in done.stderr
