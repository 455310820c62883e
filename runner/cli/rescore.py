"""`evals rescore`: add metrics to a stored run."""

from contextlib import closing
from typing import Annotated

import typer

from runner.cli.options import DEFAULT_DB, Db, Json, Run


def rescore(
    run: Run = "latest",
    metric: Annotated[str, typer.Option(help="Metrics, parted by commas.")] = "es-token,es-line,sari,nes",
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Score a run's stored results by more metrics, where its cases have expected files."""
    from runner.console import put_json, say, show
    from runner.report.summary import summarize
    from runner.report.tables import document
    from runner.run.resolve import split_names
    from runner.storage.runs import find_run
    from runner.storage.store import Store
    from runner.suites.diff_edit.rescore import rescore as rescore_run

    with closing(Store.open(db, create=False)) as store:
        found = find_run(store, run)
        count = rescore_run(store, found, split_names(metric, "--metric"))
        summary = summarize(store, found)
        if json:
            put_json(summary)
        else:
            say(f"{count} scorings of run {found['run_id']} scored")
            show(document(summary))
