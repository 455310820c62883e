"""`evals completion run`: what cannot be asked is said in a line, and nothing is written."""

from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from runner.suites.completion.dataset import Dataset, DatasetOrigin, write_dataset
from tests.completion import CODE, EDGE, FAST, TASKS, words
from tests.runner.cli.conftest import Call


@pytest.mark.parametrize(
    "more, told",
    [
        pytest.param([], "--model-ids: is missing", id="no model"),
        pytest.param(["--sut", "sim/nobody"], "--model-ids: sim/nobody: no simulated model", id="model"),
        pytest.param(["--sut", "sim/any", "--prompts", "nobody"], "no prompt is called 'nobody'", id="prompt"),
        pytest.param(["--sut", "sim/any", "--prompts", "fim/x"], "no family of models is called 'x'", id="family"),
        pytest.param(["--sut", "sim/any", "--chains", "x"], "--parser: 'x' is no chain", id="chain"),
        pytest.param(["--sut", "sim/any", "--scenes", "9"], "--scenes: '9' is none of", id="scene"),
        pytest.param(["--sut", "sim/any", "--scenes", "4"], "no task is left", id="no task"),
        pytest.param(["--sut", "sim/any", "--max-context", 3], "--max-context 3 has no room", id="context"),
        pytest.param(["--sut", "sim/any", "--repo", "/absent"], "no such folder", id="repository"),
        pytest.param(["--sut", "sim/any", "--python", "/absent"], "--python /absent", id="interpreter"),
        pytest.param(["--sut", "sim/any", "--run-id", "a", "--resume", "b"], "give one of them", id="two runs"),
    ],
)
def test_what_cannot_be_run_is_one_line_and_2(pair: Path, call: Call, more: list[object], told: str) -> None:
    done = call(*words(pair, *more))

    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert not (pair.parent / "e.db").exists()


def test_who_takes_no_prompts_is_told_before_anything_is_asked(
    pair: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = words(pair, "--sut", "anthropic/claude-x", "--prompts", "fim/starcoder2")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")

    done = call(*run)

    assert done.code == 2
    assert "takes no prompts" in done.err or "no key" in done.err


def test_another_repository_is_refused(pair: Path, repo: Path, call: Call) -> None:
    (repo / "pair.py").write_text(CODE + "\n")

    done = call(*words(pair, "--sut", "sim/truth"))

    assert done.code == 2
    assert "pair.py: not the text of the data set" in done.err


def test_without_a_repository_beside_it_one_is_asked_for(pair: Path, tmp_path: Path, call: Call) -> None:
    (tmp_path / "else").mkdir()
    moved = pair.rename(tmp_path / "else" / "pair.jsonl")

    done = call(*words(moved, "--sut", "sim/truth"))

    assert done.code == 2
    assert "--repo: is missing" in done.err


def test_a_dry_run_asks_nobody(pair: Path, call: Call) -> None:
    done = call(*words(pair, "--sut", "sim/truth", "--dry-run"))

    assert done.code == 0
    assert "5 cases: 5 valid attempts, at most 5 attempts, 4 at once" in done.err
    assert not (pair.parent / "e.db").exists()


def test_a_dry_run_bounds_the_cost_without_a_key_and_without_the_repository(
    pair: Path, repo: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    repo.rename(repo.with_name("elsewhere"))

    done = call(*words(pair, "--sut", "sim/careful", "-n", 3, "--prompts", "basic,codegemma", "--dry-run"))

    data = orjson.loads(done.out)
    assert done.code == 0
    assert (data["cases"], data["attempts"], data["most_attempts"]) == (5, 30, 30)
    assert 0 < data["estimated_usd"] < data["bound_usd"]
    assert not (pair.parent / "e.db").exists()


def test_another_chain_is_another_run(pair: Path, call: Call) -> None:
    call(*words(pair, "--sut", f"sim/truth?{FAST}", "--run-id", "a", "--limit", 1))

    done = call(*words(pair, "--sut", f"sim/truth?{FAST}", "--run-id", "a", "--limit", 1, "--chains", "raw"))

    assert done.code == 2
    assert "chains was" in done.err


def test_tasks_of_one_id_are_refused(pair: Path, call: Call) -> None:
    files = {"pair.py": CODE, "sign.py": EDGE}
    twice = (TASKS[0], replace(TASKS[1], task_id=TASKS[0].task_id))
    write_dataset(Dataset(DatasetOrigin("repo", "", "3.11", (), 4, 0), files, twice), pair)

    done = call(*words(pair, "--sut", "sim/truth"))

    assert done.code == 2
    assert "pair.jsonl:5: field 'task_id'" in done.err
