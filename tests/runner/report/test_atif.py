"""Trajectories in Harbor's interchange format: their structure, and what of an attempt they hold."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from runner.report.atif import as_atif
from runner.report.export import records
from runner.storage.runs import find_run
from runner.storage.store import Store
from tests.runner.agent_streams import BEFORE, agent_run

ROOT = {"schema_version", "agent", "steps"}
ROOT_MAY = {"session_id", "trajectory_id", "notes", "final_metrics", "extra"}
STEP = {"step_id", "source", "message"}
AGENT_ONLY = {"model_name", "reasoning_content", "tool_calls", "metrics"}
STEP_MAY = {"timestamp", "observation", "llm_call_count", "extra"} | AGENT_ONLY
METRICS = {"prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd"}
MODELS = "atif==1.8.0"


def trajectories(store: Store) -> dict[str, dict[str, Any]]:
    run = find_run(store, "r1")
    read = (json.loads(line) for line in as_atif(store, run, records(store, "r1")))
    return {trajectory["extra"]["case_id"]: trajectory for trajectory in read}


def assert_sound(trajectory: dict[str, Any]) -> None:
    """The rules of the format that our fields can break."""
    assert trajectory.keys() >= ROOT
    assert trajectory.keys() <= ROOT | ROOT_MAY
    assert trajectory["agent"].keys() <= {"name", "version", "model_name", "extra"}
    assert [step["step_id"] for step in trajectory["steps"]] == list(range(1, len(trajectory["steps"]) + 1))
    for step in trajectory["steps"]:
        assert step.keys() >= STEP
        assert step.keys() <= STEP | STEP_MAY
        assert step["source"] == "agent" or not step.keys() & AGENT_ONLY
        assert step.get("llm_call_count") != 0 or not step.keys() & {"metrics", "reasoning_content"}
        assert step.get("metrics", {}).keys() <= METRICS
        calls = {call["tool_call_id"] for call in step.get("tool_calls", [])}
        assert all(isinstance(call["arguments"], dict) for call in step.get("tool_calls", []))
        results = step.get("observation", {"results": []})["results"]
        assert {result["source_call_id"] for result in results} <= calls


def test_an_agents_attempt_is_a_trajectory_with_a_step_for_each_turn(store: Store) -> None:
    trajectory = trajectories(agent_run(store))["one"]
    steps = [step for step in trajectory["steps"] if step["source"] == "agent"]

    assert_sound(trajectory)
    assert trajectory["agent"] == {
        "name": "claude-code",
        "version": "9.9",
        "model_name": trajectory["agent"]["model_name"],
    }
    assert [[call["function_name"] for call in step.get("tool_calls", [])] for step in steps] == [
        ["read"],
        ["read"],
        ["edit"],
        ["edit"],
        [],
    ]
    assert steps[0]["tool_calls"][0]["arguments"] == {"path": "a.py"}
    assert [result["content"] for result in steps[0]["observation"]["results"]] == [BEFORE]
    assert [step["observation"]["results"][0]["extra"]["is_error"] for step in steps[:4]] == [False, False, True, False]
    # 50 of 100 tokens are written to the cache by the first turn, and read from it by the others.
    assert [(step["metrics"]["prompt_tokens"], step["metrics"]["cached_tokens"]) for step in steps] == [
        (100, 0),
        *[(100, 50)] * 4,
    ]
    assert trajectory["final_metrics"]["total_prompt_tokens"] == 500
    assert trajectory["extra"]["claims"]["cost_usd"] == 0.25


def test_an_ordinary_attempt_is_a_trajectory_with_one_step_of_the_model(store: Store) -> None:
    trajectory = trajectories(agent_run(store))["two"]
    system, *_, step = trajectory["steps"]

    assert_sound(trajectory)
    assert trajectory["agent"]["name"] == "evals"
    assert (system["source"], system["message"]) == ("system", "You edit files.")
    assert (step["source"], step["message"], step["model_name"]) == ("agent", "I would not.", "m-1")
    assert step["metrics"] == {"prompt_tokens": 7, "completion_tokens": 3}
    assert [step["source"] for step in trajectory["steps"]].count("agent") == 1
    assert trajectory["extra"]["outcome"] == "no_call"


def test_trajectories_of_one_run_have_names_of_their_own(store: Store) -> None:
    names = {trajectory["trajectory_id"] for trajectory in trajectories(agent_run(store)).values()}

    assert len(names) == 2
    assert all(name.startswith("r1/") for name in names)


@pytest.mark.slow
def test_trajectories_are_valid_by_the_published_models(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "models"
    install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder), MODELS]
    installed = subprocess.run(install, capture_output=True, text=True, check=False)
    if installed.returncode:
        pytest.skip(f"{MODELS} cannot be installed: {installed.stderr[-200:]}")
    lines = as_atif(store, find_run(agent_run(store), "r1"), records(store, "r1"))
    check = "import sys, atif; [atif.Trajectory.model_validate_json(line) for line in sys.stdin]; print('valid')"

    done = subprocess.run(
        [sys.executable, "-c", check],
        input="".join(lines),
        env={"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.stdout, done.stderr) == ("valid\n", "")
