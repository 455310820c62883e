"""`evals runs`: the list of runs."""

from contextlib import closing
from dataclasses import dataclass
from typing import Annotated

from typer import Option

from runner.run.options import DEFAULT_DB, Db, Json, Wide


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsOptions:
    """The options of `evals runs`."""

    db: Db = DEFAULT_DB
    sizes: Annotated[bool, Option("--sizes", help="Show the size of each run in the database; see `evals prune`.")] = (
        False
    )
    json: Json = False
    wide: Wide = False


def runs(options: RunsOptions) -> None:
    """List the runs, newest first."""
    from runner.console import put_json, say, show
    from runner.report.runs import runs_data, runs_document
    from runner.storage.prune import sizes as sizes_of
    from runner.storage.runs import list_runs
    from runner.storage.spill import waiting_note
    from runner.storage.store import Store

    with closing(Store.open(options.db, create=False)) as store:
        rows = list_runs(store)
        sizes = sizes_of(store) if options.sizes else None
    put_json(runs_data(rows, sizes)) if options.json else show(
        runs_document(str(options.db), rows, sizes), wide=options.wide
    )
    for row in rows:
        if note := waiting_note(options.db, row["run_id"]):
            say(note)
