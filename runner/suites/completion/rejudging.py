"""Verdicts of stored answers: from the database, else of the judge in the repository of their run."""

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from runner.execution.verdicts import JudgeTask, Known, Verdict
from runner.pool.threads import on_threads
from runner.run.verdict_cache import remembered
from runner.storage.rows import config_of
from runner.storage.store import Row, Store
from runner.suites.completion.dataset import Dataset, Task
from runner.suites.completion.judge import database_files
from runner.suites.completion.judging import Arbiter, JudgedFilling, question
from runner.suites.completion.measures import measure
from runner.suites.completion.plan import SUITE
from runner.suites.completion.repositories import judges_on_record, trees_in

_WORKERS = 2


class Rejudging:
    """Judges fillings of a run's tasks; a context manager, which opens a judge only for what was never judged."""

    def __init__(self, store: Store, source: Row, dataset: Dataset, judged_results: str) -> None:
        """Read what the database knows of verdicts, unless "all" results are judged; "none" may be, else "new"."""
        self._settings: Mapping[str, object] = config_of(source)["settings"]
        self._trees = trees_in(self._settings, dataset)
        self._dataset = dataset
        self._known = Known() if judged_results == "all" else remembered(store, SUITE)
        self._none_is_judged = judged_results == "none"
        self._fresh: dict[str, Verdict] = {}
        self._hidden = hidden_of(store, source)
        self._judges: Mapping[str, Arbiter] = {}
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
        questions = [(task, question(self._dataset, task, filling)) for task, filling in fillings if task.tests]
        unknown = {
            key: (task.repo, request)
            for task, request in questions
            if self._known.get(key := request.key(self._trees[task.repo])) is None
        }
        if unknown:
            judges = self._open(len(unknown))
            verdicts = on_threads(_WORKERS, lambda request: judges[request[0]].judge(request[1]), unknown.values())
            self._fresh |= zip(unknown, verdicts, strict=True)
        return len(unknown)

    def judged(self, task: Task, filling: str) -> JudgedFilling:
        """A filling with its verdict, which is None for a task without tests or without a verdict, and its measures."""
        measures = measure(self._dataset, task, filling)
        if not task.tests:
            return JudgedFilling(filling, None, measures)
        task_to_judge = question(self._dataset, task, filling)
        key = task_to_judge.key(self._trees[task.repo])
        return JudgedFilling(filling, self._verdict(key, task.repo, task_to_judge), measures, key)

    def _verdict(self, key: str, repo: str, task_to_judge: JudgeTask) -> Verdict | None:
        known = self._known.get(key) or self._fresh.get(key)
        return known if known or self._none_is_judged else self._open(1)[repo].judge(task_to_judge)

    def _open(self, count: int) -> Mapping[str, Arbiter]:
        if not self._judges:
            self._judges = self._opened.enter_context(judges_on_record(self._settings, count, self._hidden))
        return self._judges


def hidden_of(store: Store, source: Row) -> tuple[Path, ...]:
    """Where the truths of a run are, which answers may not read: its data set, if that is there, and the database."""
    file = str(config_of(source)["settings"].get("cases", ""))
    return (*([Path(file).resolve()] if file not in {"", "-"} else []), *database_files(store.path.resolve()))
