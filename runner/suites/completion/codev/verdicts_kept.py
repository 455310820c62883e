"""The verdicts on the answers of a run over Codev-Bench's tasks, in the scorings of that run."""

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from runner.storage.rows import detail_of
from runner.storage.store import Store, Value
from runner.suites.completion.codev.files import CodevOutcome
from runner.suites.completion.codev.score import JUDGED, findings_of, judged_scoring

_SCORINGS = """
SELECT s.scoring_id, s.answer_id, s.detail, l.case_id
FROM scorings s JOIN answers a USING (answer_id) JOIN lanes l ON l.lane_id = a.lane_id
WHERE s.run_id = ? AND l.sut = ? AND a.number = 1"""
_DETAIL = "SELECT detail FROM scorings WHERE run_id = ? AND answer_id = ?"
_FORGET = "DELETE FROM scores WHERE scoring_id = ? AND metric = 'pass'"


def keep_verdicts(db: Path, run_id: str, outcomes: Iterable[CodevOutcome]) -> None:
    """Put what the checks found of the answers into their scorings; a later check takes the place of this."""
    with closing(Store.open(db)) as store:
        for outcome in outcomes:
            _keep(store, run_id, outcome)


def _keep(store: Store, run_id: str, outcome: CodevOutcome) -> None:
    findings = {
        prediction.task.case_id: findings_of(results)
        for prediction, results in zip(outcome.predictions, outcome.judged, strict=True)
    }
    with store.transaction():
        for row in store.rows(_SCORINGS, run_id, outcome.model):
            if row["case_id"] not in findings:
                continue
            detail = detail_of(row)
            scoring = judged_scoring(detail["response"], detail["middle"], findings[row["case_id"]], row["answer_id"])
            changes: dict[str, Value] = {
                "outcome": str(scoring.outcome),
                "solved": scoring.outcome.solved,
                "error_text": scoring.error_text,
                "detail": scoring.detail,
            }
            store.update("scorings", {"scoring_id": row["scoring_id"]}, changes)
            store.execute(_FORGET, row["scoring_id"])
            scores = [(row["scoring_id"], metric, value) for metric, value in scoring.scores.items()]
            store.insert_many("scores", ("scoring_id", "metric", "value"), scores)


def stored_findings(store: Store, run_id: str, answer_id: int) -> dict[str, Any]:
    """Return what was found of an answer; nothing if it was not judged."""
    (row,) = store.rows(_DETAIL, run_id, answer_id)
    detail = detail_of(row)
    return {name: detail[name] for name in JUDGED if name in detail}
