"""Runs of agents as a user starts them: what was planted comes back, and a killed run leaves nothing and goes on."""

import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from runner.run.session import lane_keys
from runner.storage.ledger import Question
from runner.suites.diff_edit.cases import load_cases
from runner.suites.diff_edit.sim_truth import truth_of
from suts.simulated.agent_tools import agent_turn
from suts.simulated.scripts import script_of
from suts.simulated.spec import parse_spec
from tests.agents.player import TOOLS, schema
from tests.main_job import CASES, evals, exported, scored, serving
from tests.runner.agents.rooms import PLAYER, killed_while_asking

MIXED = "sim/any?valid=.5&applied=.6&loops=2"
FAST = ("--ttft-ms", "1", "--gap-ms", "0")
OUTCOMES = {
    "applied": "applied",
    "wrong_edit": "applied",
    "other_file": "other_file",
    "gives_up": "no_answer",
    "loops": "out_of_turns",
}
CAP = 3
MODEL = "openai/sim/any?applied=1"


def words(url: str, db: Path, *more: str, model: str = MIXED) -> list[str]:
    command = f"agent:python3 {PLAYER} --wire anthropic --model '{model}'"
    return ["diff", command, "--base-url", f"{url}/v1", "--db", str(db), "--max-attempts-per-case", str(CAP), *more]


def planted(model: str, most: int) -> Counter[tuple[str, int, str, bool]]:
    """Case, number, outcome and rightness of every attempt that a run has to make."""
    cases = load_cases(CASES).cases[:most]
    truth = truth_of(cases, seed=0)
    turn = agent_turn({name: schema(names) for name, names in TOOLS.items()}, ())
    assert turn is not None
    expected: Counter[tuple[str, int, str, bool]] = Counter()
    for lane in lane_keys([""], [""], [case.case_id for case in cases]):
        known = truth(Question(lane))
        assert known is not None
        for number in range(1, CAP + 1):
            outcome = script_of(parse_spec(model), replace(known, number=number), turn).outcome
            expected[lane.case_id, number, OUTCOMES[outcome], outcome == "applied"] += 1
            if OUTCOMES[outcome] == "applied":
                break
    return expected


def counted(db: Path) -> Counter[tuple[str, int, str, bool]]:
    rows = scored(exported(db))
    return Counter((row["case_id"], row["number"], row["outcome"], row["equals_expected"] is True) for row in rows)


@pytest.mark.slow
def test_planted_shares_come_back_exactly_four_at_once_and_again_from_the_stored_answers(tmp_path: Path) -> None:
    db = tmp_path / "evals.db"
    with serving(*FAST) as served:
        limits = ("--agent-limits", "turns=14", "--max-cases", "6", "--max-concurrency", "4")
        done = evals(*words(served.url, db, *limits))
        log = served.log()

    assert done.returncode in (0, 3), done.stderr
    assert counted(db) == planted(MIXED, 6)
    assert len({row["outcome"] for row in exported(db)}) > 2
    assert sum(row["output_tokens"] for row in exported(db)) == sum(entry["usage"]["output"] for entry in log)
    run = exported(db)[0]["run_id"]
    assert evals("replay", "--run-id", run, "--db", db, "--from-stream").returncode == 0
    assert counted(db) == planted(MIXED, 6)


@pytest.mark.wide
def test_twenty_agents_work_at_once(tmp_path: Path) -> None:
    db = tmp_path / "evals.db"
    with serving("--ttft-ms", "300", "--gap-ms", "0") as served:
        limits = ("--agent-limits", "turns=9", "--max-cases", "20", "--max-concurrency", "20", "--temperature", "1")
        done = evals(*words(served.url, db, *limits))
        peak = served.stats()["peak"]

    assert done.returncode in (0, 3), done.stderr
    assert counted(db) == planted(MIXED, 20)
    assert peak > 10


@pytest.mark.slow
def test_a_killed_run_leaves_no_process_and_asks_the_attempt_again(tmp_path: Path) -> None:
    db, mark = tmp_path / "evals.db", tmp_path / "agent.py"
    mark.write_text(PLAYER.read_text())
    right = "sim/any?applied=1"
    with serving("--ttft-ms", "60", "--gap-ms", "0") as served:
        given = words(served.url, db, "--max-cases", "2", "--run-id", "killed", model=right)
        given[1] = given[1].replace(str(PLAYER), str(mark))
        cells = killed_while_asking(given, mark, served, 1)

        again = evals(*given)

    assert cells
    assert again.returncode == 0, again.stderr
    assert counted(db) == planted(right, 2)


def test_agents_and_models_have_runs_of_their_own(tmp_path: Path) -> None:
    done = evals("diff", f"agent:{sys.executable} x,sim/any", "--db", tmp_path / "evals.db")

    assert done.returncode == 2
    assert "is an agent, which has a run without models" in done.stderr


def test_a_dry_run_states_the_limits_and_starts_no_agent(tmp_path: Path) -> None:
    given = words("http://127.0.0.1:9", tmp_path / "evals.db", "--dry-run", "--agent-limits", "turns=7")

    done = evals(*given)

    assert done.returncode == 0, done.stderr
    assert "turns=7" in done.stderr
    assert not (tmp_path / "evals.db").exists()


@pytest.mark.slow
def test_agents_are_compared_in_pairs_with_each_other_and_with_models_of_another_run(tmp_path: Path) -> None:
    db = tmp_path / "evals.db"
    right, wrong = (f"agent:python3 {PLAYER} --wire anthropic --model 'sim/any?applied={share}'" for share in (1, 0))
    with serving(*FAST) as served:
        once = ("--base-url", f"{served.url}/v1", "--db", db, "--max-cases", "3", "--max-attempts-per-case", "1")
        agents = ("diff", f"{right},{wrong}", *once, "--agent-limits", "turns=9", "--run-id", "agents")
        model = ("diff", "sim/any?applied=1", "--provider", "openai", *once, "--run-id", "model")
        assert [evals(*agents).returncode, evals(*model).returncode] == [0, 0]

    done = evals("compare", "agents", "model", "--by", "model", "--json", "--db", db)

    assert done.returncode == 0, done.stderr
    pairs = json.loads(done.stdout)["comparisons"]
    found = {(pair["first"]["model"], pair["second"]["model"]): pair["difference"]["estimate"] for pair in pairs}
    assert found == {(right, wrong): 1.0, (right, MODEL): 0.0, (wrong, MODEL): -1.0}
    assert {(pair["cases"], pair["test"]) for pair in pairs} == {(3, "McNemar")}
