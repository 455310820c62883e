"""The data set that is shipped: what is in it, its proofs, and what is planted found again."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.execution.copies import JudgeTarget
from runner.execution.isolation import Isolation
from runner.execution.repository_judge import Judge
from runner.execution.verdicts import JudgeTask, VerdictKind
from runner.suites.completion.blocks import TYPES
from runner.suites.completion.build import Wanted, build
from runner.suites.completion.chains import choose_chains
from runner.suites.completion.collected_answers import CollectedAnswer, judgements
from runner.suites.completion.dataset import Dataset, read_dataset
from runner.suites.completion.score import scores_of
from runner.suites.completion.validate import validate

SHIPPED = Path(__file__).parents[4] / "cases" / "completion"


@pytest.fixture
def shelf(interpreter: JudgeTarget, isolation: Isolation) -> Iterator[Judge]:
    with Judge(SHIPPED / "shelf", interpreter, isolation) as made:
        yield made


def test_the_shipped_data_set_has_every_scene_and_every_type_of_block() -> None:
    dataset = read_dataset(SHIPPED / "shelf.jsonl")

    counts = Counter((task.scene, task.with_evidence) for task in dataset.tasks)
    assert set(counts) == {
        *((scene, told) for scene in ("1.1", "1.2", "1.3") for told in (False, True)),
        *((scene, False) for scene in ("2.1", "2.2", "3", "4")),
    }
    assert {task.block_type for task in dataset.tasks} == {*TYPES}
    assert all((task.proof is None) == (task.block_type == "COMMENT") for task in dataset.tasks)


def test_the_shipped_files_are_those_of_the_data_set(shelf: Judge) -> None:
    dataset = read_dataset(SHIPPED / "shelf.jsonl")

    none_but_files = Dataset(dataset.about, dataset.files, ())

    assert validate({"": shelf}, none_but_files, 1) == []


@pytest.mark.parametrize("kind", ["METHOD", "CATCH", "ARGUMENTS", "IMPORT"])
@pytest.mark.wide
def test_a_proof_that_does_not_hold_is_refuted(shelf: Judge, kind: str) -> None:
    dataset = read_dataset(SHIPPED / "shelf.jsonl")
    task = next(task for task in dataset.tasks if task.block_type == kind and task.scene == "1.2")
    assert task.proof is not None
    harmless = replace(task, proof=replace(task.proof, filling=dataset.truth(task)))

    refuted = validate({"": shelf}, Dataset(dataset.about, dataset.files, (task, harmless)), 2)

    assert [(one.task_id, one.reason.rpartition(" ")[2]) for one in refuted] == [(task.task_id, "pass")]


@pytest.mark.slow
def test_all_truths_of_the_shipped_data_set_pass_and_all_that_pass_killed_fail(shelf: Judge) -> None:
    dataset = read_dataset(SHIPPED / "shelf.jsonl")
    proved = [task for task in dataset.tasks if task.proof is not None]

    assert validate({"": shelf}, dataset, 2) == []
    killed = [task for task in proved if task.proof is not None and task.proof.killed_by == "pass"]
    outcomes = Counter(
        shelf.judge(JudgeTask(task.file, dataset.assembled(task, task.proof.filling), task.tests, task.seconds)).outcome
        for task in killed
        if task.proof is not None
    )
    assert len(killed) > 100
    assert outcomes[VerdictKind.PASS] == 0


@pytest.mark.slow
def test_a_simulated_model_scores_exactly_what_was_planted(shelf: Judge) -> None:
    dataset = read_dataset(SHIPPED / "shelf.jsonl")
    tasks = [task for task in dataset.tasks if task.proof is not None and task.scene == "1.1"]
    answers = [
        CollectedAnswer(task, task.proof.filling if task.proof is not None and number % 3 == 0 else dataset.truth(task))
        for number, task in enumerate(tasks)
    ]

    judged = judgements({"": shelf}, dataset, answers, choose_chains(["raw"], ""), 2)

    assert [scores_of("raw", judgement)["pass"] > 0 for judgement in judged] == [
        number % 3 != 0 for number in range(len(tasks))
    ]


@pytest.mark.slow
def test_the_shipped_data_set_is_what_a_build_gives(shelf: Judge) -> None:
    dataset = read_dataset(SHIPPED / "shelf.jsonl")
    if dataset.about.python != ".".join(map(str, shelf.target.version)):
        pytest.skip(f"it was built by Python {dataset.about.python}")

    built = build(shelf, Wanted("shelf", limit=3, workers=2, mutants=3), say=lambda _: None)

    assert built.dataset.tasks == dataset.tasks
    assert built.dataset.survivors == dataset.survivors


def test_a_repository_that_has_changed_is_refused(judge: Judge) -> None:
    dataset = read_dataset(SHIPPED / "shelf.jsonl")

    with pytest.raises(InputError, match=r"shelf/commands\.py: not the text of the data set; give shelf as --repo"):
        validate({"": judge}, dataset, 1)
