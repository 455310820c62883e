"""Verdicts of stored answers: from the database, else of the judge in the repository of their run."""

from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from runner.errors import InputError
from runner.execution.isolation import NOT_WEAK
from runner.execution.verdicts import JudgeTask, Known, Verdict
from runner.pool.threads import on_threads
from runner.run.verdict_cache import remembered
from runner.storage.rows import config_of
from runner.storage.store import Row, Store
from runner.suites.completion.dataset import Dataset, Task
from runner.suites.completion.judge import database_files, judge_of
from runner.suites.completion.judging import Arbiter, JudgedFilling, question
from runner.suites.completion.measures import measure
from runner.suites.completion.plan import SUITE

_WORKERS = 2


class Rejudging:
    """Judges fillings of a run's tasks; a context manager, which opens a judge only for what was never judged."""

    def __init__(self, store: Store, source: Row, dataset: Dataset, judged_results: str) -> None:
        """Read what the database knows of verdicts, unless "all" results are judged; "none" may be, else "new"."""
        settings = config_of(source)["settings"]
        self._tree, self._repo = str(settings["tree"]), Path(settings["repo"])
        self._dataset = dataset
        self._known = Known() if judged_results == "all" else remembered(store, SUITE)
        self._none_is_judged = judged_results == "none"
        self._fresh: dict[str, Verdict] = {}
        self._hidden = hidden_of(store, source)
        self._judge: Arbiter | None = None
        self._opened = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self._opened.close()

    def prepare(self, fillings: Iterable[tuple[Task, str]]) -> int:
        """Judge what was never judged; returns how many fillings that were.

        Raises InputError where the repository of the run is missing, or has another text now.
        """
        if self._none_is_judged:
            return 0
        questions = [question(self._dataset, task, filling) for task, filling in fillings if task.tests]
        unknown = {key: question for question in questions if self._known.get(key := question.key(self._tree)) is None}
        if unknown:
            judge = self._open(len(unknown))
            verdicts = on_threads(_WORKERS, judge.judge, unknown.values())
            self._fresh |= zip(unknown, verdicts, strict=True)
        return len(unknown)

    def judged(self, task: Task, filling: str) -> JudgedFilling:
        """A filling with its verdict, which is None for a task without tests or without a verdict, and its measures."""
        measures = measure(self._dataset, task, filling)
        if not task.tests:
            return JudgedFilling(filling, None, measures)
        task_to_judge = question(self._dataset, task, filling)
        key = task_to_judge.key(self._tree)
        return JudgedFilling(filling, self._verdict(key, task_to_judge), measures, key)

    def _verdict(self, key: str, task_to_judge: JudgeTask) -> Verdict | None:
        known = self._known.get(key) or self._fresh.get(key)
        return known if known or self._none_is_judged else self._open(1).judge(task_to_judge)

    def _open(self, count: int) -> Arbiter:
        if self._judge is None:
            if not self._repo.is_dir():
                raise InputError(f"{count} fillings were never judged, and {self._repo} is no longer there; restore it")
            # With our own interpreter: a database names no programs to run.
            opened = judge_of(self._repo, "", Known(), NOT_WEAK, self._hidden)
            judge = self._opened.enter_context(opened)
            if judge.tree != self._tree:
                raise InputError(f"{count} fillings were never judged, and {self._repo} has changed since; restore it")
            self._judge = judge
        return self._judge


def hidden_of(store: Store, source: Row) -> tuple[Path, ...]:
    """Where the truths of a run are, which answers may not read: its data set, if that is there, and the database."""
    file = str(config_of(source)["settings"].get("cases", ""))
    return (*([Path(file).resolve()] if file not in {"", "-"} else []), *database_files(store.path.resolve()))
