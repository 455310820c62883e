"""The same answer is judged as the original did, and as we do; each step's difference has a cause."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from runner.execution.copies import Copy, JudgeTarget, target
from runner.execution.isolation import Isolation, strongest
from runner.execution.repository_judge import Judge
from runner.suites.completion.codev.judging import Reply, RepositoryJudges, StepResults, steps_of
from runner.suites.completion.codev.metadatas import CodevDir
from runner.suites.completion.codev.rules import Checks, response_of
from runner.suites.completion.codev.tasks import read_tasks
from tests.codev import TASKS, codev_dir, cut, task, write_rows

RIGHT = "```python\nreturn 2 * x\n```"
WRONG = "```python\nreturn 1\n```"


@pytest.fixture(scope="module")
def interpreter() -> JudgeTarget:
    return target(sys.executable, os.environ["PATH"])


@pytest.fixture(scope="module")
def isolation() -> Isolation:
    return strongest()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return codev_dir(tmp_path / "codev")


JudgeText = Callable[..., StepResults]


@pytest.fixture
def judged(folder: Path, tmp_path: Path, interpreter: JudgeTarget, isolation: Isolation) -> JudgeText:
    """Judges one answer to one row."""

    def judge_of(repo: Path, brought: Path | None) -> Judge:
        assert brought is None
        return Judge(repo, interpreter, isolation)

    def of(row: dict[str, object], text: str, checks: Checks | None = None) -> StepResults:
        ((found,), _) = read_tasks(write_rows(tmp_path / "m.jsonl", [row]), "m")
        with RepositoryJudges(checks or Checks(unittest=True), CodevDir(folder), judge_of) as bench:
            return bench.judged([(found, Reply(text, response_of(text)))], 1)[0]

    return of


@pytest.mark.parametrize(
    "row, text, expected",
    [
        pytest.param(TASKS[0], RIGHT, StepResults(True, True, True, True), id="right"),  # noqa: FBT003 - four verdicts
        pytest.param(TASKS[0], WRONG, StepResults(False, False, False, False), id="wrong"),  # noqa: FBT003
        pytest.param(
            cut(TASKS[0]),
            RIGHT,
            StepResults(False, True, True, True),  # noqa: FBT003
            id="defect: right, but the rest of the file was cut off",
        ),
        pytest.param(
            TASKS[0],
            "```python\nreturn 2 * x",
            StepResults(False, False, False, True),  # noqa: FBT003
            id="defect: right, but the fence is open",
        ),
        pytest.param(
            task("return x + x", unit_test_ids=["t-half"]),
            RIGHT,
            StepResults(False, False, False, False),  # noqa: FBT003
            id="a skipped test has not passed, here and there",
        ),
    ],
)
@pytest.mark.wide
def test_an_answer_passes_step_by_step(
    judged: JudgeText, row: dict[str, object], text: str, expected: StepResults
) -> None:
    assert judged(row, text) == expected


def test_defect_a_repository_that_is_set_to_be_quiet_never_passes(judged: JudgeText, folder: Path) -> None:
    (folder / "Source_Code_Copy" / "pair" / "pytest.ini").write_text("[pytest]\naddopts = -q\n")

    assert judged(TASKS[0], RIGHT) == StepResults(original=False, whole=False, told=True, ours=True)


def test_an_answer_that_prints_what_a_passing_run_prints_is_not_believed_by_us(judged: JudgeText) -> None:
    line = "===== 1 passed in 0.01s ====="

    found = judged(TASKS[0], f"```python\nprint({line!r})\n    return 1\n```")

    assert (found.told, found.ours) == (False, False)


def test_a_task_passes_when_all_its_tests_do(judged: JudgeText) -> None:
    row = task("    return x + x", unit_test_ids=["t-low", "t-double"])

    assert judged(row, "```\n    return 1\n```").original is False
    assert judged(row, "```\n    return x * 2\n```").original is True


@pytest.mark.wide
def test_checks_are_stood_beside_the_tests(judged: JudgeText) -> None:
    two_lines = "```python\ny = x\n    return y + y\n```"

    assert judged(TASKS[0], two_lines).original is True
    assert judged(TASKS[0], two_lines, Checks(unittest=True, cross_line=True)).original is False
    assert judged(TASKS[0], two_lines, Checks(unittest=True, indent=True)).original is True


def test_without_the_check_no_test_is_run(judged: JudgeText) -> None:
    assert judged(TASKS[0], WRONG, Checks(cross_line=True)).original is True


def test_steps_count_what_was_judged() -> None:
    found = [StepResults(True, True, True, True), StepResults(False, True, None, None)]  # noqa: FBT003 - verdicts

    assert steps_of(found) == {"original": (2, 1), "whole": (2, 2), "told": (1, 1), "ours": (1, 1)}


def test_the_repository_stays_as_it_was(judged: JudgeText, folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    judged(TASKS[0], "```python\nopen('pair.py', 'w').write('')\n    return x + x\n```")

    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


class Counting(Judge):
    """A judge that counts how often tests are run."""

    runs = 0

    @contextmanager
    def copy(self) -> Iterator[Copy]:
        self.runs += 1
        with super().copy() as copy:
            yield copy


@pytest.fixture
def counting(folder: Path, interpreter: JudgeTarget, isolation: Isolation) -> Counting:
    return Counting(folder / "Source_Code_Copy" / "pair", interpreter, isolation)


def test_the_same_text_is_tried_once_for_each_way_of_telling(counting: Counting, folder: Path, tmp_path: Path) -> None:
    (found,), _ = read_tasks(write_rows(tmp_path / "m.jsonl", [TASKS[0]]), "m")
    said = Reply(RIGHT, response_of(RIGHT))

    with RepositoryJudges(Checks(unittest=True), CodevDir(folder), lambda *_: counting) as bench:
        judged = bench.judged([(found, said)] * 3, 1)

    assert judged == [StepResults(True, True, True, True)] * 3  # noqa: FBT003 - verdicts
    assert counting.runs == 2


@pytest.mark.slow
def test_an_answer_that_never_ends_takes_the_time_of_one_test(counting: Counting, folder: Path, tmp_path: Path) -> None:
    (found,), _ = read_tasks(write_rows(tmp_path / "m.jsonl", [TASKS[0]]), "m")
    endless = "```python\nwhile True: pass\n```"

    with RepositoryJudges(Checks(unittest=True), CodevDir(folder), lambda *_: counting, test_seconds=10) as bench:
        judged = bench.judged([(found, Reply(endless, response_of(endless)))], 1)

    assert judged == [StepResults(False, False, False, False)]  # noqa: FBT003 - verdicts
    assert counting.runs == 1
