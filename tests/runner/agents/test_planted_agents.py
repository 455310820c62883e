"""Agents in edit, completion and nextedit: planted shares come back; a killed run goes on, with nothing left."""

from pathlib import Path

import pytest

from tests.main_job import evals, exported, scored, serving
from tests.runner.agents.planted_jobs import FAST, LIMITS, Job, agent, every_job, planted
from tests.runner.agents.rooms import PLAYER, killed_while_asking

MIXED = "sim/any?valid=.7&applied=.6&loops=1"


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
    assert [row["outcome"] for row in rows] == [planted(job, row, MIXED) for row in rows]
    assert len({row["outcome"] for row in rows}) >= 3
    assert "simulated-any answered agents; simulated:" in evals("report", "latest", "--db", db).stdout


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
