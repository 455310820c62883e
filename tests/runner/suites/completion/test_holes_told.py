"""What simulated models are told: only what surely passes and surely fails."""

from dataclasses import replace
from pathlib import Path

import pytest

from runner.execution.syntax_check import syntax_error_of
from runner.suites.completion.chains import Around, choose_chains, taken
from runner.suites.completion.dataset import Dataset, Proof, Task, read_dataset
from runner.suites.completion.served import is_completion, questions_of
from runner.suites.completion.sim_truth import hole_of
from suts.sut import Hole

SHIPPED = Path(__file__).parents[4] / "cases" / "completion" / "shelf.jsonl"


@pytest.fixture(scope="module")
def shelf() -> Dataset:
    return read_dataset(SHIPPED)


def told(dataset: Dataset, task: Task) -> Hole:
    return hole_of(dataset, task, syntax_error_of, fenced=False)


def test_an_answer_that_runs_over_compiles_only_once_it_is_repaired(shelf: Dataset) -> None:
    (repaired,) = choose_chains(["repaired"], "")
    found = 0
    for task in shelf.tasks:
        over = told(shelf, task).wrong.get("over_run")
        if over is not None:
            found += 1
            around = Around(shelf.prefix(task), shelf.suffix(task), fenced=False)
            assert syntax_error_of(shelf.assembled(task, over)) is not None
            assert taken(repaired, over, around) == shelf.truth(task)
    assert found > 0.9 * len(shelf.tasks)


def test_what_was_proved_to_fail_is_the_wrong_answer(shelf: Dataset) -> None:
    for task in shelf.tasks:
        if task.proof is not None and task.proof.filling:
            assert told(shelf, task).wrong["wrong"] == task.proof.filling


@pytest.mark.parametrize(
    "killed_by, block_type, scene, fails",
    [
        pytest.param("nothing", "ARGUMENTS", "1.1", True, id="proved"),
        pytest.param("pass", "STATEMENT", "1.1", True, id="as good as pass"),
        pytest.param("none", "ARGUMENTS", "1.1", False, id="nothing survived"),
        pytest.param("pass", "STATEMENT", "2.1", False, id="a part of a block"),
    ],
)
def test_an_empty_answer_fails_only_where_that_is_known(
    shelf: Dataset, killed_by: str, block_type: str, scene: str, fails: bool
) -> None:
    task = next(task for task in shelf.tasks if task.block_type == "ARGUMENTS" and task.scene == "1.1")
    proof = Proof(killed_by, "pass", "fail")

    hole = told(shelf, replace(task, proof=proof, block_type=block_type, scene=scene))

    assert ("empty" in hole.wrong) is fails


def test_where_nothing_is_missing_an_empty_answer_is_no_failure(shelf: Dataset) -> None:
    task = next(task for task in shelf.tasks if task.scene == "2.2")

    hole = told(shelf, task)

    assert hole.right == ""
    assert "empty" not in hole.wrong


def test_without_a_proof_the_wrong_answer_does_not_compile(shelf: Dataset) -> None:
    task = next(task for task in shelf.tasks if task.tests)

    hole = told(shelf, replace(task, proof=None))

    assert syntax_error_of(shelf.assembled(task, hole.wrong["wrong"])) is not None


def test_a_server_knows_each_task_in_every_form() -> None:
    assert is_completion(SHIPPED)
    assert not is_completion(SHIPPED.parent)
    entries = list(questions_of(SHIPPED))
    tasks = {truth.case_id for _, truth in entries}
    assert len(tasks) == 266
    assert len(entries) == 10 * len(tasks)
