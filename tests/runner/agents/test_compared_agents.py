"""Agents compared in pairs, with each other and with a model: the differences are those of what was planted."""

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean

import pytest

from runner.records import Outcome
from tests.main_job import evals, exported, serving
from tests.runner.agents.answering_server import answering
from tests.runner.agents.planted_jobs import FAST, LIMITS, Job, Row, agent, every_job, planted

GOOD, POOR = "sim/any?valid=.9&applied=.8", "sim/any?valid=.6&applied=.3"
PLAYED = "sim/any?valid=.8&applied=.5"
MODEL = "openai/known"

Rates = Mapping[str, float]


def rates(rows: list[Row], outcomes: list[str]) -> Rates:
    """The share of right attempts among those that count, by the case."""
    values: defaultdict[str, list[float]] = defaultdict(list)
    for row, outcome in zip(rows, outcomes, strict=True):
        if Outcome(outcome).valid:
            values[row["case_id"]].append(float(outcome == Outcome.SOLVED))
    return {case: fmean(shares) for case, shares in values.items()}


def difference(first: Rates, second: Rates) -> tuple[float, int]:
    """The mean difference of the cases that both have, and how many they are."""
    common = first.keys() & second.keys()
    return fmean(first[case] - second[case] for case in common), len(common)


def model_run(job: Job, folder: Path, db: Path) -> list[str]:
    """Make a run of a model that answers as a simulated one has done; returns the outcomes of that one's answers."""
    words, alone = job.words(folder, PLAYED), ("--max-concurrency", "1")
    assert evals(*words, "--db", folder / "played.db", *alone).returncode == 0
    known = sorted(exported(folder / "played.db"), key=lambda row: row["sent_at"])
    with answering([row["raw_output"] for row in known]) as url:
        done = evals(*job.words(folder, MODEL), "--base-url", url, "--db", db, "--run-id", "model", *alone)
    assert done.returncode == 0, done.stderr
    return [row["outcome"] for row in exported(folder / "played.db")]


@pytest.mark.wide
@every_job
def test_two_agents_and_a_model_are_compared_in_pairs(job: Job, tmp_path: Path) -> None:
    db, good, poor = tmp_path / "evals.db", agent(GOOD), agent(POOR)
    with serving(*FAST) as served:
        server = ("--base-url", f"{served.url}/v1", "--db", db, "--run-id", "agents")
        done = evals(*job.words(tmp_path, f"{good},{poor}"), *server, *LIMITS)
    assert done.returncode == 0, done.stderr
    played = model_run(job, tmp_path, db)
    by_agents, by_model = exported(db, "agents"), exported(db, "model")
    assert [row["outcome"] for row in by_model] == played
    expected = {MODEL: rates(by_model, played)}
    for name, model in ((good, GOOD), (poor, POOR)):
        rows = [row for row in by_agents if row["model_id"] == name]
        expected[name] = rates(rows, [planted(job, row, model) for row in rows])

    compared = evals("compare", "agents", "model", "--by", "model", "--json", "--db", db)

    assert compared.returncode == 0, compared.stderr
    pairs = json.loads(compared.stdout)["comparisons"]
    found = {
        (pair["first"]["model"], pair["second"]["model"]): (pair["difference"]["estimate"], pair["cases"])
        for pair in pairs
    }
    wanted = {pair: difference(*map(expected.__getitem__, pair)) for pair in found}
    assert {*found} == {(good, poor), (good, MODEL), (poor, MODEL)}
    assert found == {pair: (pytest.approx(estimate), cases) for pair, (estimate, cases) in wanted.items()}
    assert len({round(estimate, 6) for estimate, _ in found.values()}) > 1
