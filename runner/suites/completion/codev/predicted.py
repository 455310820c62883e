"""The predictions of a run, from the answers on record."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from runner.storage.store import Store
from runner.suites.completion.codev.files import CodevOutcome, Prediction
from runner.suites.completion.codev.judging import Reply
from runner.suites.completion.codev.rules import response_of
from runner.suites.completion.codev.tasks import CodevTask
from suts.sut import Sut

_ANSWERS = """
SELECT l.case_id, a.text_id, a.round_trip_ms FROM answers a JOIN lanes l USING (lane_id)
WHERE l.run_id = ? AND l.sut = ? AND a.outcome IN ('answered', 'crashed') AND a.text_id IS NOT NULL AND a.number = 1
"""


def predicted(db: Path, run_id: str, tasks: Sequence[CodevTask], suts: Sequence[Sut]) -> list[CodevOutcome]:
    """The predictions of each model in turn, from a database."""
    with closing(Store.open(db)) as store:
        return [outcome for sut in suts for outcome in _predicted_by(store, run_id, tasks, sut)]


def _predicted_by(store: Store, run_id: str, tasks: Sequence[CodevTask], sut: Sut) -> list[CodevOutcome]:
    """The predictions of a model by mode, in the order of the tasks; those not answered are missing."""
    answers = {row["case_id"]: row for row in store.rows(_ANSWERS, run_id, sut.name)}
    outcomes = []
    for mode in dict.fromkeys(task.mode for task in tasks):
        predictions = []
        for task in tasks:
            row = answers.get(task.case_id)
            if task.mode == mode and row is not None:
                text, ms = store.text(row["text_id"]) or "", row["round_trip_ms"]
                predictions.append(Prediction(task, Reply(text, response_of(text)), None if ms is None else ms / 1000))
        outcomes.append(CodevOutcome(mode, sut.name, tuple(predictions), simulated=sut.endpoint.simulated))
    return outcomes
