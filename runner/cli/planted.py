"""Showing a run of a suite whose simulated models are known to answer: its report, and what was planted in them."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runner.suites.edit.expected_counts import Planted


def show_planted(db: Path, run_id: str, planted: "Sequence[Planted]", *, as_json: bool) -> None:
    """Print the report of a run, and how many answers of each simulated model have to be right."""
    from dataclasses import asdict

    from runner.console import put_json, say, show
    from runner.storage.runs import find_run
    from runner.storage.store import Store
    from runner.suites.of_run import report_of

    with closing(Store.open(db)) as store:
        report = report_of(store, find_run(store, run_id))
    if as_json:
        put_json({**report.data, "planted": [asdict(one) for one in planted]})
        return
    show(report.document)
    for one in planted:
        say(f"planted: {one.right} of {one.answers} answers of {one.sut} by {one.prompt} are right ({one.outcomes})")
