"""Verdicts in a database: a result is judged once, and not again in any run."""

from contextlib import closing
from pathlib import Path

from runner.execution.verdicts import Known, Verdict, VerdictKind
from runner.storage.rows import detail_of
from runner.storage.store import Store

_JUDGED = """
SELECT s.detail FROM scorings s JOIN runs r USING (run_id)
WHERE r.suite = ? AND s.detail IS NOT NULL AND s.outcome NOT IN ('infra', 'untested', 'crashed')"""


def remembered(store: Store, suite: str) -> Known:
    """Return every verdict of every run of a suite, by the key of file, answer, tests and repository."""
    known = Known()
    for row in store.stream(_JUDGED, suite):
        detail = detail_of(row)
        if detail.get("key"):
            verdict = Verdict(VerdictKind(detail["verdict"]), detail["failing"], detail["seconds"], detail["log"])
            known.add(detail["key"], verdict)
    return known


def remembered_in(db: Path, suite: str) -> Known:
    """Return the same for a database file; nothing if there is no such file."""
    if not db.exists():
        return Known()
    with closing(Store.open(db, create=False)) as store:
        return remembered(store, suite)
