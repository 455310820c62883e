"""A run's answers taken by other chains: a new run, no call, and no test run for what was ever judged."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields, replace
from pathlib import Path

from prompts.fim import FAMILIES
from runner.errors import InputError
from runner.execution.repository_judge import Judge
from runner.execution.verdicts import Known, Question, Verdict
from runner.json_texts import stored_json
from runner.records import Scoring
from runner.run.verdict_cache import remembered
from runner.storage.rows import config_of, put_scorings
from runner.storage.runs import RunPlan, begin, finish
from runner.storage.store import Row, Store
from runner.suites.completion.attempt import SUITE, scorings_of
from runner.suites.completion.chains import Around, Chain, taken
from runner.suites.completion.dataset import About, Dataset, Task, read_task
from runner.suites.completion.forms import FIM
from runner.suites.completion.measures import measure
from runner.suites.completion.score import Judged, question
from runner.variant import Variant

_WORKERS = 2
_ANSWERS = """
SELECT a.answer_id, l.prompt, l.case_id, t.encoding, t.content
FROM answers a JOIN lanes l USING (lane_id) JOIN texts t ON t.text_id = a.text_id
WHERE l.run_id = ? AND a.outcome IN ('answered', 'crashed') ORDER BY l.case_id, a.answer_id"""
JudgeOf = Callable[[Path, Known], AbstractContextManager[Judge]]


@dataclass(frozen=True, slots=True)
class Reread:
    """How many answers were taken again, and how many fillings of them had to be judged."""

    answers: int
    judged: int


@dataclass(frozen=True, slots=True)
class _Answer:
    answer_id: int
    task: Task
    fillings: Mapping[str, str]


def reread(store: Store, source: Row, chains: Sequence[Chain], judge_of: JudgeOf, run_id: str, utc_now: str) -> Reread:
    """Score every answer of `source` by these chains under the new run `run_id`.

    Only fillings that no run in the database has a verdict of are judged, in the repository of the run. Raises
    InputError where there is none of the same text any more, or nothing to replay.
    """
    answers_of: str = source["replay_of"] or source["run_id"]
    settings = config_of(source)["settings"]
    dataset = _dataset(store, answers_of)
    answers = list(_answers(store, answers_of, dataset, chains))
    if not answers:
        raise InputError(f"run {source['run_id']}: has no answers to replay")
    known, tree = remembered(store, SUITE), str(settings["tree"])
    asked = {
        one.key(tree): one
        for answer in answers
        for filling in answer.fillings.values()
        if answer.task.tests
        for one in [question(dataset, answer.task, filling)]
    }
    unknown = {key: one for key, one in asked.items() if known.get(key) is None}
    verdicts = {key: verdict for key in asked if (verdict := known.get(key)) is not None}
    if unknown:
        verdicts |= _judge(unknown, Path(settings["repo"]), tree, judge_of)
    begin(store, run_id, _plan(store, source, answers_of, chains), utc_now)
    with store.transaction():
        for answer in answers:
            put_scorings(store, run_id, _scorings(dataset, answer, verdicts, tree))
    finish(store, run_id, utc_now, complete=True)
    return Reread(len(answers), len(unknown))


def _dataset(store: Store, run_id: str) -> Dataset:
    """The tasks of a run, as it knew them."""
    files: dict[str, str] = {}
    tasks: list[Task] = []
    for row in store.rows("SELECT case_id, content_id FROM cases WHERE run_id = ? ORDER BY position", run_id):
        content = stored_json(store.text(row["content_id"]) or "{}")
        values = {name: value for name, value in content["task"].items() if name != "kind"}
        tasks.append(read_task(f"case {row['case_id']} of run {run_id}", values))
        files[tasks[-1].file] = content["text"]
    return Dataset(About("", "", "", (), 0, 0), files, tuple(tasks))


def _answers(store: Store, run_id: str, dataset: Dataset, chains: Sequence[Chain]) -> Iterator[_Answer]:
    tasks = {task.task_id: task for task in dataset.tasks}
    for row in store.rows(_ANSWERS, run_id):
        task = tasks[row["case_id"]]
        around = _around(dataset, task, row["prompt"])
        text = store.decode_text(row["encoding"], row["content"])
        yield _Answer(row["answer_id"], task, {chain.name: taken(chain, text, around) for chain in chains})


def _around(dataset: Dataset, task: Task, prompt: str) -> Around:
    family = FAMILIES.get(prompt.removeprefix(FIM)) if prompt.startswith(FIM) else None
    return Around(
        prefix=dataset.prefix(task),
        suffix=dataset.suffix(task),
        stops=family.stops if family else (),
        fenced=not prompt.startswith(FIM),
    )


def _judge(unknown: Mapping[str, Question], repo: Path, tree: str, judge_of: JudgeOf) -> dict[str, Verdict]:
    """Verdicts of what was never judged. Raises InputError where the repository is not the run's."""
    if not repo.is_dir():
        raise InputError(f"{len(unknown)} fillings were never judged, and {repo} is no longer there; put it back")
    with judge_of(repo, Known()) as judge:
        if judge.tree != tree:
            raise InputError(f"{len(unknown)} fillings were never judged, and {repo} has changed since; put it back")
        with ThreadPoolExecutor(_WORKERS) as pool:
            return dict(zip(unknown, pool.map(judge.judge, unknown.values()), strict=True))


def _scorings(dataset: Dataset, answer: _Answer, verdicts: Mapping[str, Verdict], tree: str) -> tuple[Scoring, ...]:
    judged: dict[str, Judged] = {}
    for name, filling in answer.fillings.items():
        key = question(dataset, answer.task, filling).key(tree) if answer.task.tests else ""
        judged[name] = Judged(filling, verdicts.get(key), measure(dataset, answer.task, filling), key)
    return scorings_of(answer.task, judged, answer.answer_id)


def _plan(store: Store, source: Row, answers_of: str, chains: Sequence[Chain]) -> RunPlan:
    config = config_of(source)
    names = [field.name for field in fields(Variant)]
    rows = store.rows("SELECT * FROM variants WHERE run_id = ? ORDER BY position", answers_of)
    asked = (Variant(**{**{name: row[name] for name in names}, "simulated": bool(row["simulated"])}) for row in rows)
    lanes = dict.fromkeys(replace(one, parser="", parser_digest="") for one in asked)
    return RunPlan(
        suite=source["suite"],
        identity={**config["identity"], "chains": [f"{chain.name}@{chain.digest}" for chain in chains]},
        settings=config["settings"],
        variants=[replace(one, parser=chain.name, parser_digest=chain.digest) for one in lanes for chain in chains],
        cases=(),
        cases_digest=config["identity"]["cases"],
        version=source["version"],
        replay_of=answers_of,
    )
