"""A module of Historian that starts a coding agent, behind the metering proxy: cost and first edit of each question."""

import asyncio
import json
import sys
import urllib.request
from pathlib import Path

import pytest

from runner.agents.limits import AgentLimits
from runner.prices import Prices
from runner.suites.nextedit.systems.module_cell import ModuleSettings, environment_in
from runner.suites.nextedit.systems.module_meter import Metering, ModuleMeter
from suts.upstreams import ModelCall, Upstreams
from tests.main_job import Served, evals, exported, serving
from tests.nextedit import cases_folder
from tests.runner.agents.rooms import PLAYER

MODEL = "sim/any?applied=1"
CASE = "vane-cf1c5d4c73"
# In the form of the original's: it lets an agent work in the repository and answers with what differs.
MODULE = f"""
import os, subprocess, sys

def texts(folder):
    found = {{}}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            found[os.path.relpath(path, folder)] = open(path, newline="").read().splitlines(keepends=True)
    return found

def main(json_input):
    if not json_input["status"].startswith("suggestion"):
        return None
    before = texts(json_input["repo_dir"])
    agent = [{sys.executable!r}, {str(PLAYER)!r}, "--wire", "anthropic", "--model", {MODEL!r}]
    goal = json_input["edit_description"]
    subprocess.run(agent, cwd=json_input["repo_dir"], input=goal, text=True, check=MODE == "checked", timeout=60)
    after = texts(json_input["repo_dir"])
    return {{
        path: [{{"before": before.get(path, []), "after": lines, "confidence": None}}]
        for path, lines in after.items() if lines != before.get(path)
    }}
"""


def stated(served: Served) -> None:
    """Tell the server of an edit that the agent is to try at each question about the commit."""
    bundle = json.loads((cases_folder() / f"{CASE}.json").read_text())
    file = bundle["files"][0]
    line = file["before"].splitlines(keepends=True)[0]
    truth = {"path": file["path"], "before": file["before"], "blocks": [[line, f"{line}{line}"]]}
    body = json.dumps({CASE.rpartition("-")[2]: truth}).encode()
    urllib.request.urlopen(f"{served.url}/_sim/truths", body, timeout=60).close()  # noqa: S310 - loopback


def words(folder: Path, served: Served, *more: object, mode: str = "checked") -> list[object]:
    module, prices = folder / "sut" / "main.py", folder / "prices.json"
    module.parent.mkdir()
    module.write_text(f"MODE = {mode!r}\n{MODULE}")
    price = {"model": f"anthropic/{MODEL}", "input": 1.0, "output": 2.0}
    prices.write_text(json.dumps({"date": "2026-01-01", "models": [price]}))
    cases = folder / "cases"
    cases.mkdir()
    (cases / f"{CASE}.json").write_bytes((cases_folder() / f"{CASE}.json").read_bytes())
    command = ["nextedit", "--cases", cases, "--sut", f"historian:{module}", "--module-proxy", "--prices", prices]
    return [*command, "--base-url", f"{served.url}/v1", "--db", folder / "evals.db", *more]


@pytest.mark.wide
def test_tokens_cost_and_first_edit_of_each_question_are_those_that_passed_the_proxy(tmp_path: Path) -> None:
    with serving("--ttft-ms", "5", "--gap-ms", "0") as served:
        stated(served)
        done = evals(*words(tmp_path, served))
        log = served.log()

    rows = [row for row in exported(tmp_path / "evals.db") if row["mode"] != "setup"]
    assert done.returncode == 0, done.stderr
    assert len(rows) > 3
    assert len(log) > 2 * len(rows)
    used = {side: sum(entry["usage"][side] for entry in log) for side in ("input", "output")}
    assert {side: sum(row[f"{side}_tokens"] for row in rows) for side in used} == used
    assert sum(row["cost_usd"] for row in rows) == pytest.approx((used["input"] + 2 * used["output"]) / 1e6)
    assert all(row["time_to_first_token_ms"] < row["time_to_first_edit_ms"] < row["round_trip_ms"] for row in rows)


@pytest.mark.wide
def test_a_question_ends_at_a_limit_with_what_it_has_cost(tmp_path: Path) -> None:
    with serving("--ttft-ms", "5", "--gap-ms", "0") as served:
        stated(served)
        done = evals(*words(tmp_path, served, "--agent-limits", "turns=1", mode="unchecked"))

    rows = [row for row in exported(tmp_path / "evals.db") if row["mode"] != "setup"]
    assert done.returncode == 1, done.stderr
    assert all(row["outcome"] == "no_answer" for row in rows)
    assert all("ended at the limit of turns" in row["error_text"] for row in rows)
    assert all(row["cost_usd"] > 0 for row in rows)


def test_what_comes_late_of_a_question_is_not_counted_for_the_next_one() -> None:
    usage = b'data: {"usage": {"prompt_tokens": 1000, "completion_tokens": 1000}, "choices": []}\n\n'

    async def taken() -> list[object]:
        meter = ModuleMeter(Metering(Upstreams({}), AgentLimits(), Prices("2026-01-01")), lambda: None)
        meter.begin()
        first = await meter.sent(ModelCall("openai-chat", "openai", ""), b"{}")
        reports = [meter.taken()]
        meter.begin()
        second = await meter.sent(ModelCall("openai-chat", "openai", ""), b"{}")
        for number, data in ((first, usage), (second, usage.replace(b"1000", b"7"))):
            meter.status(number, 200)
            meter.got(number, data)
            meter.done(number)
        return [(report or {}).get("output_tokens") for report in (*reports, meter.taken())]

    assert asyncio.run(taken()) == [None, 7]


def test_a_module_has_the_proxy_or_the_network_of_the_machine(tmp_path: Path) -> None:
    words_of_both = words(tmp_path, Served("http://127.0.0.1:9"), "--module-network")

    done = evals(*words_of_both)

    assert done.returncode == 2
    assert "--module-proxy: is the only network of a module; remove --module-network" in done.stderr


def test_the_address_of_the_proxy_has_a_part_that_others_do_not_know(tmp_path: Path) -> None:
    metering = Metering(Upstreams({}), AgentLimits(), Prices("2026-01-01"), secret="s3cret")  # noqa: S106 - made up

    found = environment_in(tmp_path / "tree", ModuleSettings(Path(), metering=metering))

    assert found["ANTHROPIC_BASE_URL"] == "{proxy}/s3cret"
    assert found["OPENAI_BASE_URL"] == "{proxy}/s3cret/v1"
