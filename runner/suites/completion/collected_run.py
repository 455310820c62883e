"""Answers from elsewhere as a run of the database: to be reported, compared, shown and replayed like any other."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from runner.execution.verdicts import VerdictKind
from runner.run.variants import local_variant
from runner.storage.rows import put_scorings, to_json
from runner.storage.runs import CAP, QUOTA, CaseRow, RunPlan, new_run_id, put_run, utc_now
from runner.storage.store import Store, Value
from runner.suites.completion.chains import Chain
from runner.suites.completion.collected_answers import CollectedAnswer, Judgement
from runner.suites.completion.dataset import Dataset, Task, task_digest, task_row
from runner.suites.completion.plan import SUITE
from runner.suites.completion.score import scorings_of

_ENDPOINT = "not on record"


@dataclass(frozen=True, slots=True)
class Collected:
    """What was collected, and who judged it: `file` has the answers, `tree` is the digest of the repository."""

    dataset: Dataset
    answers: Sequence[CollectedAnswer]
    chains: Sequence[Chain]
    file: Path
    cases: Path
    repo: Path
    tree: str
    name: str = ""

    def model(self, answer: CollectedAnswer) -> str:
        """Return the name under which an answer is kept."""
        return answer.model or self.file.name.split(".")[0] or "answers"

    @property
    def most(self) -> int:
        """The number of answers that a model has to a task, at most."""
        return max(Counter((self.model(answer), answer.task.task_id) for answer in self.answers).values())


def put_collected(store: Store, collected: Collected, judged: Sequence[Judgement]) -> str:
    """Put the answers and what they are worth, in their order, into a run of its own; return its id."""
    run_id, now = new_run_id(), utc_now()
    with store.transaction():
        put_run(store, run_id, _plan(collected), now)
        rows = _AnswerRows(store, run_id, collected, now)
        for answer, judgement in zip(collected.answers, judged, strict=True):
            answer_id = rows.put(answer)
            put_scorings(store, run_id, scorings_of(answer.task, judgement, answer_id))
        state = "incomplete" if any(map(unjudged, judged)) else "complete"
        ended: dict[str, Value] = {"state": state, "finished_at": now}
        store.update("runs", {"run_id": run_id}, ended)
        store.execute(_END_LANES, collected.most, run_id)
    return run_id


def unjudged(judgement: Judgement) -> bool:
    """Whether the judge could not judge an answer: in a later scoring it is asked again."""
    verdicts = [filling.verdict for filling in judgement.values()]
    return any(verdict is not None and verdict.outcome is VerdictKind.INFRA for verdict in verdicts)


_END_LANES = """
UPDATE lanes SET state = CASE WHEN ?1 <= (SELECT count(*) FROM answers a WHERE a.lane_id = lanes.lane_id)
    THEN 'full' ELSE 'capped' END
WHERE run_id = ?2"""


def _plan(collected: Collected) -> RunPlan:
    models = list(dict.fromkeys(map(collected.model, collected.answers)))
    rows = [_case_row(collected.dataset, task) for task in _tasks(collected)]
    cases_digest = sha256("\n".join(f"{row.case_id}\t{row.digest}" for row in rows).encode()).hexdigest()[:12]
    return RunPlan(
        suite=SUITE,
        identity={
            "suts": models,
            "prompts": [],
            "chains": [f"{chain.name}@{chain.digest}" for chain in collected.chains],
            "cases": cases_digest,
            "repository": collected.tree[:12],
            "collected": _answers_digest(collected),
        },
        settings={
            QUOTA: collected.most,
            CAP: collected.most,
            "source": str(collected.file),
            "cases": str(collected.cases),
            "repo": str(collected.repo.resolve()),
            "tree": collected.tree,
        },
        # A chain stands where other suites have a parser.
        variants=[local_variant(model, chain, endpoint=_ENDPOINT) for model in models for chain in collected.chains],
        cases=rows,
        cases_digest=cases_digest,
        name=collected.name or None,
    )


def _tasks(collected: Collected) -> list[Task]:
    """Return the tasks that have an answer, in the order of the data set."""
    answered = {answer.task.task_id for answer in collected.answers}
    return [task for task in collected.dataset.tasks if task.task_id in answered]


def _answers_digest(collected: Collected) -> str:
    whole = sha256()
    for answer in collected.answers:
        whole.update(to_json([answer.task.task_id, collected.model(answer), answer.text]).encode() + b"\n")
    return whole.hexdigest()[:12]


def _case_row(dataset: Dataset, task: Task) -> CaseRow:
    """Return a case; nobody knows what was shown of it, so it holds no conversation."""
    row, text = task_row(task), dataset.files[task.file]
    return CaseRow(
        case_id=task.task_id,
        digest=task_digest(row, text),
        path=task.file,
        language="python",
        source=dataset.about.repo,
        content=to_json({"task": row, "text": text, "messages": []}),
    )


@dataclass(slots=True)
class _AnswerRows:
    """The answers on their way into the database, inside a transaction."""

    store: Store
    run_id: str
    collected: Collected
    now: str
    _lanes: dict[tuple[str, str], int] = field(default_factory=dict)
    _numbers: Counter[int] = field(default_factory=Counter)

    def put(self, answer: CollectedAnswer) -> int:
        """Insert an answer, as the next one of its model to its task; return its id."""
        lane_id = self._lane(self.collected.model(answer), answer.task.task_id)
        self._numbers[lane_id] += 1
        row: dict[str, Value] = {
            "lane_id": lane_id,
            "step": 0,
            "mode": "",
            "number": self._numbers[lane_id],
            "try": 1,
            "sent_at": self.now,
            "outcome": "answered",
            "text_id": self.store.put_text(answer.text),
        }
        return self.store.insert("answers", row)

    def _lane(self, model: str, case_id: str) -> int:
        key = (model, case_id)
        if key not in self._lanes:
            row: dict[str, Value] = {"run_id": self.run_id, "sut": model, "prompt": "", "case_id": case_id}
            self._lanes[key] = self.store.insert("lanes", row)
        return self._lanes[key]
