"""Coding agents in the edit suite: the file of their folder is judged by the problem's test, and again without it."""

import json
from pathlib import Path

import pytest

from runner.suites.edit.problems import read_problems
from tests.main_job import ROOT, evals, exported

PROBLEMS = ROOT / "cases" / "edit" / "problems.jsonl"
AGENT = """\
import json, pathlib, sys
results = json.loads(pathlib.Path(sys.argv[1]).read_text())
for path in list(pathlib.Path().iterdir()):
    for name, text in results[path.read_bytes().decode()].items():
        (path if name == "own" else pathlib.Path(name)).write_bytes(text.encode())
"""


@pytest.mark.slow
def test_files_of_agents_are_judged_by_tests_and_scored_again_without_a_folder(tmp_path: Path) -> None:
    problems, _ = read_problems(PROBLEMS)
    right, wrong, idle, stray = [problem for problem in problems if problem.language == "python"][:4]
    chosen, agent, db = tmp_path / "chosen.jsonl", tmp_path / "agent.py", tmp_path / "evals.db"
    chosen.write_text("".join(f"{problem.content}\n" for problem in (right, wrong, idle, stray)))
    agent.write_text(AGENT)
    results = {
        right.origin: {"own": right.references[0]},
        wrong.origin: {"own": f"{wrong.origin}raise SystemExit(3)\n"},
        idle.origin: {},
        stray.origin: {"own": stray.references[0], "notes.txt": "done\n"},
    }
    (tmp_path / "results.json").write_text(json.dumps(results))
    name = f"agent:python3 {agent} {tmp_path / 'results.json'}"
    limits = ("--base-url", "http://127.0.0.1:9/v1", "--max-attempts-per-case", "1")

    done = evals("edit", "run", chosen, "--sut", name, *limits, "--instructions", "all", "--db", db)

    assert done.returncode in (0, 3), done.stderr
    rows = exported(db)
    outcomes = {row["case_id"]: row["outcome"] for row in rows}
    expected = ("solved", "unsolved", "no_answer", "other_file")
    assert outcomes == dict(zip([problem.case_id for problem in (right, wrong, idle, stray)], expected, strict=True))
    again = evals("replay", "--run-id", rows[0]["run_id"], "--db", db, "--from-stream")
    assert again.returncode == 0, again.stderr
    assert {row["case_id"]: row["outcome"] for row in exported(db)} == outcomes
