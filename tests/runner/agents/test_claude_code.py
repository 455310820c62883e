"""The real Claude Code against the simulated server, where it is installed: its version decides what it sends."""

import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from suts.claude_session import SDKS
from tests.main_job import evals, exported, serving

VERSIONS = ("2.1.197", "2.1.330", "2.1.332")


def missing(route: str) -> str:
    """Why it cannot be tried here, "" if it can."""
    if route == "claude-sdk" and not any(map(find_spec, SDKS)):
        return "no SDK of Claude Code; run `make claude`"
    path = shutil.which("claude")
    if path is None:
        return "no `claude` in PATH; run `make claude`"
    shown = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60, check=False).stdout
    return "" if shown.startswith(VERSIONS) else f"`claude` is {shown.strip()}, none of {', '.join(VERSIONS)}"


@pytest.mark.slow
@pytest.mark.parametrize("route", ["claude-code", "claude-sdk"])
def test_claude_code_edits_at_a_known_cost_four_at_once_and_reports_the_same_tokens(route: str, tmp_path: Path) -> None:
    if reason := missing(route):
        pytest.skip(reason)
    db, prices = tmp_path / "evals.db", tmp_path / "prices.json"
    model = {"model": "anthropic/sim/any?applied=1", "input": 1.0, "output": 2.0}
    prices.write_text(json.dumps({"date": "2026-01-01", "models": [model]}))
    with serving("--ttft-ms", "5", "--gap-ms", "0") as served:
        given = (
            "--base-url",
            served.url,
            "--max-cases",
            "2",
            "-n",
            "2",
            "--max-concurrency",
            "4",
            "--prices",
            prices,
            "--db",
            db,
        )
        done = evals("diff", f"{route}/sim/any?applied=1", *given)
        log = served.log()

    assert done.returncode == 0, done.stderr
    rows = exported(db)
    tokens = [sum(entry["usage"][side] for entry in log) for side in ("input", "output")]
    assert [row["outcome"] for row in rows] == ["applied"] * 4
    assert all(row["equals_expected"] for row in rows)
    assert [sum(row[name] for row in rows) for name in ("input_tokens", "output_tokens")] == tokens
    assert sum(row["cost_usd"] for row in rows) == pytest.approx((tokens[0] + 2 * tokens[1]) / 1e6)
    assert all(0 < row["time_to_first_edit_ms"] < row["round_trip_ms"] for row in rows)


def test_without_an_sdk_it_is_said_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SDKS:
        monkeypatch.setitem(sys.modules, name, None)
    given = ("--base-url", "http://127.0.0.1:9", "--db", tmp_path / "evals.db")

    done = evals("diff", "claude-sdk/any", *given)

    assert done.returncode == 2
    assert "pip install 'evals[claude]'" in done.stderr
