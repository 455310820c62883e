"""Commands of the suites that judge edits, for agents whose models play scripts: what is planted in each attempt."""

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
from tests.nextedit import few_cases
from tests.runner.agents.rooms import PLAYER

FAST = ("--ttft-ms", "1", "--gap-ms", "0")
LIMITS = ("--agent-limits", "turns=9", "--max-concurrency", "4")
OUTCOMES = {"applied": "solved", "wrong_edit": "unsolved", "gives_up": "no_answer", "loops": "out_of_turns"}

Row = dict[str, Any]


@dataclass(frozen=True)
class Job:
    """A command of a suite; `truth_of` is the name and the number of the attempt that a row is of."""

    words: Callable[[Path, str], list[str]]
    truth_of: Callable[[Row], tuple[str, int]]
    other_file: str


def edit_words(_folder: Path, model: str) -> list[str]:
    problems = ("cases/edit/problems.jsonl", "--max-cases", "5", "--max-attempts-per-case", "3")
    return ["edit", "run", *problems, "--sut", model]


def completion_words(_folder: Path, model: str) -> list[str]:
    tasks = ("cases/completion/shelf.jsonl", "--parser", "raw", "--max-cases", "7", "--max-attempts-per-case", "3")
    return ["completion", "run", *tasks, "--sut", model]


def nextedit_words(folder: Path, model: str) -> list[str]:
    return ["nextedit", model, "--cases", str(few_cases(folder / "cases")), "--order", "none"]


JOBS = {
    "edit": Job(edit_words, lambda row: (row["case_id"], row["number"]), "other_file"),
    "completion": Job(completion_words, lambda row: (row["case_id"], row["number"]), "other_file"),
    "nextedit": Job(nextedit_words, lambda row: (f"{row['case_id']}:{row['mode']}", row["step"]), "unsolved"),
}
every_job = pytest.mark.parametrize("job", JOBS.values(), ids=JOBS)


def agent(model: str, program: Path = PLAYER) -> str:
    return f"agent:python3 {program} --wire anthropic --model '{model}'"


def planted(job: Job, row: Row, model: str) -> str:
    """The outcome of the attempt that a row is of, by the script that the model plays."""
    turn = agent_turn({name: schema(names) for name, names in TOOLS.items()}, ())
    assert turn is not None
    name, number = job.truth_of(row)
    outcome = script_of(parse_spec(model), Truth(name, number, path="a.py", before="a\n"), turn).outcome
    return {**OUTCOMES, "other_file": job.other_file}[outcome]
