"""Adds metrics to the stored scorings of a run."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from runner.errors import InputError
from runner.metrics import METRICS, Sample, TooLargeError, metrics_named
from runner.run.suite import Suite
from runner.storage.store import Row, Store

_SCORINGS = """
SELECT s.scoring_id, s.edited_id, s.detail, l.case_id, l.prompt, a.answer_id, a.step, a.mode, a.number
FROM scorings s JOIN answers a USING (answer_id) JOIN lanes l USING (lane_id)
WHERE s.run_id = ? AND s.valid ORDER BY l.case_id, s.scoring_id
"""


def rescore_run(suite: Suite[Any, Any], store: Store, run: Row, metrics: Sequence[str]) -> int:
    """Score every valid scoring of a run by these metrics, in place of older values; returns how many there are.

    Documents too large for a metric have no value. Raises InputError for an unknown metric, a suite whose answers are
    no edits, and a run without expected files.
    """
    metrics_named(metrics)
    sample_of = suite.score(store, run)
    rows: list[tuple[int, str, float]] = []
    counted = 0
    for row in store.rows(_SCORINGS, run["run_id"]):
        sample = sample_of(row)
        if sample is None:
            continue
        counted += 1
        rows += [(row["scoring_id"], name, value) for name in metrics if (value := _value(name, sample)) is not None]
    if not counted:
        raise InputError(f"run {run['run_id']}: has no valid attempt at a case whose expected result is known")
    with store.transaction():
        store.insert_many("scores", ("scoring_id", "metric", "value"), rows, replace=True)
    return counted


@lru_cache(maxsize=1024)
def _value(metric: str, sample: Sample) -> float | None:
    """Return a metric of a sample, None if it is too large; many answers share a result, so it is scored once."""
    try:
        return METRICS[metric](sample)
    except TooLargeError:
        return None
