"""Answers from elsewhere as a run of the database: to be reported, compared, shown and replayed like any other."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from runner.case_digests import digest_of_cases
from runner.execution.verdicts import VerdictKind
from runner.run.variants import local_variant
from runner.storage.imported_rows import ImportedRows
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
    """What was collected, and who judged it: `file` has the answers, `judged_in` where (`repositories.placed`).

    `left_out` is what `left_out_settings` gives.
    """

    dataset: Dataset
    answers: Sequence[CollectedAnswer]
    chains: Sequence[Chain]
    file: Path
    cases: Path
    judged_in: Mapping[str, object]
    left_out: Mapping[str, object]
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
        rows = ImportedRows(store, run_id)
        for answer, judgement in zip(collected.answers, judged, strict=True):
            lane_id = rows.lane(collected.model(answer), answer.task.task_id)
            answer_id = rows.put(lane_id, answer.text, {"sent_at": now, "outcome": "answered"})
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
    cases_digest = digest_of_cases(rows)
    return RunPlan(
        suite=SUITE,
        identity={
            "suts": models,
            "prompts": [],
            "chains": [f"{chain.name}@{chain.digest}" for chain in collected.chains],
            "cases": cases_digest,
            "repository": str(collected.judged_in["tree"])[:12],
            "collected": _answers_digest(collected),
        },
        settings={
            QUOTA: collected.most,
            CAP: collected.most,
            "source": str(collected.file),
            "cases": str(collected.cases),
            **collected.judged_in,
            **collected.left_out,
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
    row, text = task_row(task), dataset.files[task.place]
    return CaseRow(
        case_id=task.task_id,
        digest=task_digest(row, text),
        path=task.file,
        language="python",
        source=task.repo or dataset.about.repo,
        content=to_json({"task": row, "text": text, "messages": []}),
    )
