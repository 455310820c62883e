"""Planted differences in the suites whose answers are judged by tests: each text is judged once, for all runs."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

from runner.execution.isolation import NOT_WEAK
from runner.execution.script_judge import ScriptJudge, search_path
from runner.run.execute import execute
from runner.run.plan import Plan
from runner.run.rescore import rescore_run
from runner.run.suite import Prepared, Say
from runner.storage.runs import find_run
from runner.storage.store import Store
from runner.suites.completion.codev.options import CodevOptions
from runner.suites.completion.codev.suite import SUITE as CODEV
from runner.suites.completion.dataset import Dataset, DatasetOrigin, write_dataset
from runner.suites.completion.options import CompletionOptions
from runner.suites.completion.suite import SUITE as COMPLETION
from runner.suites.edit.attempt import judged_by
from runner.suites.edit.judging import open_judge
from runner.suites.edit.options import EditOptions
from runner.suites.edit.plan import EditDetail
from runner.suites.edit.suite import SUITE as EDIT
from tests import codev
from tests.bench.planted import Planted, Run, model
from tests.completion import task

PROBLEMS = Path(__file__).parents[2] / "cases" / "edit" / "problems.jsonl"
# All completion tasks are of one repository, so that its verdicts hold for any number of them.
FILES = 60
CODE = "def add(x):\n    return x + {}\n"
TEST = "from part_{0} import add\n\n\ndef test_add():\n    assert add(1) == 1 + {0}\n"
# Of the failures of a completion only that whose verdict is recorded beforehand.
WRONG = "over_run=0&empty=0"


def completion_run(model_ids: str) -> Run:
    """Runs with the verdicts of an earlier run, in which every answer that can be given was judged."""

    def run(db: Path, cases: Path, seed: int) -> object:
        verdicts = cases.parent / "verdicts.db"
        if not verdicts.exists():
            _complete("sim/truth?time=virtual,sim/wrong?time=virtual", verdicts, cases, 0)
        shutil.copy(verdicts, db)
        return _complete(model_ids, db, cases, seed)

    return run


def _complete(model_ids: str, db: Path, cases: Path, seed: int) -> object:
    options = CompletionOptions(
        file=cases / "tasks.jsonl",
        repo=cases / "repo",
        model_ids=model_ids,
        parser="raw",
        quota=2,
        db=db,
        seed=seed,
        parallel=True,
    )
    return execute(COMPLETION, options)


def make_completions(folder: Path, cases: int) -> None:
    """Write a repository of 60 files with a test each, and a task in each of so many files."""
    assert cases <= FILES
    (folder / "repo" / "tests").mkdir(parents=True)
    files = {f"part_{number}.py": CODE.format(number) for number in range(FILES)}
    for number, (name, text) in enumerate(files.items()):
        (folder / "repo" / name).write_text(text, encoding="utf-8")
        (folder / "repo" / "tests" / f"test_part_{number}.py").write_text(TEST.format(number), encoding="utf-8")
    chosen = dict(list(files.items())[:cases])
    tasks = tuple(
        task("1.1", name, text, f"return x + {number}", (f"tests/test_part_{number}.py::test_add",))
        for number, (name, text) in enumerate(chosen.items())
    )
    origin = DatasetOrigin("repo", "", "3.11", (), cases, 0)
    write_dataset(Dataset(origin, chosen, tasks), folder / "tasks.jsonl")


def codev_run(model_ids: str) -> Run:
    """Runs whose answers are compared with the truth: `evals completion codev` runs tests beside the database."""

    def run(db: Path, cases: Path, seed: int) -> None:
        execute(CODEV, CodevOptions(prompts=[cases], model_ids=model_ids, db=db, seed=seed, parallel=True))
        with closing(Store.open(db)) as store:
            rescore_run(CODEV, store, find_run(store, "latest"), ["exact"])

    return run


def make_codev(folder: Path, cases: int) -> None:
    """Write a file of prompts with so many tasks."""
    rows = [
        codev.task("return x + x", block_key=f"{codev.MAIN}/Source_Code/pair/pair_{number}.py#L5-L5")
        for number in range(cases)
    ]
    codev.write_rows(folder / f"{codev.FULL}.jsonl", rows)


def edit_run(model_ids: str) -> Run:
    """Runs by one judge, which remembers its verdicts."""

    def run(db: Path, cases: Path, seed: int) -> object:
        options = EditOptions(
            file=cases / "problems.jsonl", model_ids=model_ids, quota=2, db=db, seed=seed, parallel=True
        )
        return execute(replace(EDIT, attempt=_by_one_judge), options)

    return run


@contextmanager
def _by_one_judge(plan: Plan[EditDetail], _say: Say) -> Iterator[Prepared]:
    with judged_by(_judge(), plan) as prepared:
        yield prepared


@cache
def _judge() -> ScriptJudge:
    return open_judge(search_path(os.environ), {}, 10.0, (PROBLEMS,), NOT_WEAK)


def copy_problems(folder: Path, cases: int) -> None:
    """Write so many problems of the edit suite: copies of the shipped ones under other names."""
    folder.mkdir()
    shipped = [json.loads(line) for line in PROBLEMS.read_text(encoding="utf-8").splitlines()]
    problems = [problem for problem in shipped if problem["lang"] == "python"]
    rows = []
    for number in range(cases):
        problem = problems[number % len(problems)]
        rows.append(json.dumps({**problem, "problem": f"{problem['problem']}-{number}"}) + "\n")
    (folder / "problems.jsonl").write_text("".join(rows), encoding="utf-8")


JUDGED = {
    "completion": Planted(
        "model",
        0.25,
        completion_run(model(f"applied=.85&{WRONG}", f"applied=.6&{WRONG}")),
        completion_run(model(f"applied=.72&{WRONG}", f"applied=.72&{WRONG}")),
        make_completions,
        FILES,
        cluster="file",
    ),
    "codev": Planted(
        "model",
        0.25,
        codev_run(model("applied=.85", "applied=.6")),
        codev_run(model("applied=.72", "applied=.72")),
        make_codev,
        FILES,
        metric="exact",
    ),
    "edit": Planted(
        "model",
        0.25,
        edit_run(model("applied=.85", "applied=.6")),
        edit_run(model("applied=.72", "applied=.72")),
        copy_problems,
        40,
    ),
}
