"""Agents in edit, completion and nextedit: planted shares come back; a killed run goes on, with nothing left."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from suts.simulated.agent_tools import agent_turn
from suts.simulated.scripts import script_of
from suts.simulated.spec import parse_spec
from suts.sut import Truth
from tests.agents.player import TOOLS, schema
from tests.main_job import evals, exported, scored, serving
from tests.nextedit import few_cases
from tests.runner.agents.rooms import PLAYER, killed_while_asking

MIXED = "sim/any?valid=.7&applied=.6&loops=1"
FAST = ("--ttft-ms", "1", "--gap-ms", "0")
LIMITS = ("--agent-limits", "turns=9", "--max-concurrency", "4")
OUTCOMES = {"applied": "solved", "wrong_edit": "unsolved", "gives_up": "no_answer", "loops": "out_of_turns"}

Row = dict[str, Any]


@dataclass(frozen=True)
class Job:
    """A command of a suite for agents; `truth_of` is the name and the number of the attempt that a row is of."""

    words: Callable[[Path, str], list[str]]
    truth_of: Callable[[Row], tuple[str, int]]
    other_file: str


def edit_words(_folder: Path, agent: str) -> list[str]:
    problems = ("cases/edit/problems.jsonl", "--max-cases", "5", "--max-attempts-per-case", "3")
    return ["edit", "run", *problems, "--sut", agent]


def completion_words(_folder: Path, agent: str) -> list[str]:
    tasks = ("cases/completion/shelf.jsonl", "--parser", "raw", "--max-cases", "7", "--max-attempts-per-case", "3")
    return ["completion", "run", *tasks, "--sut", agent]


def nextedit_words(folder: Path, agent: str) -> list[str]:
    return ["nextedit", agent, "--cases", str(few_cases(folder / "cases")), "--order", "none"]


JOBS = {
    "edit": Job(edit_words, lambda row: (row["case_id"], row["number"]), "other_file"),
    "completion": Job(completion_words, lambda row: (row["case_id"], row["number"]), "other_file"),
    "nextedit": Job(nextedit_words, lambda row: (f"{row['case_id']}:{row['mode']}", row["step"]), "unsolved"),
}
every_job = pytest.mark.parametrize("job", JOBS.values(), ids=JOBS)


def agent(model: str, program: Path = PLAYER) -> str:
    return f"agent:python3 {program} --wire anthropic --model '{model}'"


def planted(job: Job, row: Row) -> str:
    """The outcome of the attempt that a row is of, by the script that the model plays."""
    turn = agent_turn({name: schema(names) for name, names in TOOLS.items()}, ())
    assert turn is not None
    name, number = job.truth_of(row)
    outcome = script_of(parse_spec(MIXED), Truth(name, number, path="a.py", before="a\n"), turn).outcome
    return {**OUTCOMES, "other_file": job.other_file}[outcome]


def attempts(db: Path) -> list[tuple[object, ...]]:
    names = ("case_id", "step", "mode", "number", "outcome", "edited_file")
    return sorted((tuple(row[name] for name in names) for row in scored(exported(db))), key=str)


@pytest.mark.wide
@every_job
def test_planted_shares_come_back_exactly(job: Job, tmp_path: Path) -> None:
    db = tmp_path / "evals.db"
    with serving(*FAST) as served:
        server = ("--base-url", f"{served.url}/v1", "--db", db)
        done = evals(*job.words(tmp_path, agent(MIXED)), *server, *LIMITS)

    rows = exported(db)
    assert done.returncode == 0, done.stderr
    assert len(rows) >= 8
    assert [row["outcome"] for row in rows] == [planted(job, row) for row in rows]
    assert len({row["outcome"] for row in rows}) >= 3


@pytest.mark.wide
@every_job
def test_a_killed_run_leaves_no_process_and_counts_as_one_that_was_not_killed(job: Job, tmp_path: Path) -> None:
    whole, killed, program = tmp_path / "whole.db", tmp_path / "killed.db", tmp_path / "agent.py"
    program.write_text(PLAYER.read_text())
    with serving("--ttft-ms", "40", "--gap-ms", "0") as served:
        words = [*job.words(tmp_path, agent(MIXED, program)), "--base-url", f"{served.url}/v1", *LIMITS]
        assert evals(*words, "--db", whole).returncode == 0
        words += ["--db", str(killed), "--run-id", "r"]
        cells = killed_while_asking(words, program, served, len(served.log()) + 5)

        again = evals(*words)

    assert cells
    assert again.returncode == 0, again.stderr
    assert attempts(killed) == attempts(whole)
