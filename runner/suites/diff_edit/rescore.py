"""Adding metrics to the stored scorings of a run whose cases have expected files."""

from collections.abc import Sequence
from functools import lru_cache

from runner.errors import InputError
from runner.metrics import METRICS, Sample, TooLargeError, metrics_named
from runner.storage.store import Row, Store
from runner.suites.diff_edit.cases import DiffEditCase
from runner.suites.diff_edit.replay import stored_case
from runner.syntax import language_of

_SCORINGS = """
SELECT s.scoring_id, l.case_id, s.edited_id
FROM scorings s JOIN answers a USING (answer_id) JOIN lanes l USING (lane_id)
WHERE s.run_id = ? AND s.valid ORDER BY l.case_id
"""


def rescore(store: Store, run: Row, metrics: Sequence[str]) -> int:
    """Score every valid attempt of a run by these metrics, in place of older values; the number of scorings.

    An edit that did not come about left the file as it was; documents too large for a metric have no value.
    Raises InputError for an unknown metric, another suite, or a run without expected files.
    """
    metrics_named(metrics)
    if run["suite"] != "diff_edit":
        raise InputError(f"run {run['run_id']}: is of suite {run['suite']}; rescore takes runs of `evals diff`")
    answers_of: str = run["replay_of"] or run["run_id"]
    rows = []
    counted = 0
    case: DiffEditCase | None = None
    for row in store.rows(_SCORINGS, run["run_id"]):
        if case is None or case.case_id != row["case_id"]:
            case = stored_case(store, answers_of, row["case_id"])
        if not case.expected_contents:
            continue
        counted += 1
        edited = store.text(row["edited_id"])
        sample = _sample(case, case.file_contents if edited is None else edited)
        rows += [(row["scoring_id"], name, value) for name in metrics if (value := _value(name, sample)) is not None]
    if not counted:
        raise InputError(f"run {run['run_id']}: has no valid attempt at a case with expected_contents")
    with store.transaction():
        store.insert_many("scores", ("scoring_id", "metric", "value"), rows, replace=True)
    return counted


def _sample(case: DiffEditCase, edited: str) -> Sample:
    language = case.language or language_of(case.file_path)
    return Sample(case.file_contents, case.expected_contents, edited, language)


@lru_cache(maxsize=1024)
def _value(metric: str, sample: Sample) -> float | None:
    try:
        return METRICS[metric](sample)
    except TooLargeError:
        return None
