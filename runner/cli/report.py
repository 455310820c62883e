"""`evals report` and `evals runs`: the report of a run, and the list of runs."""

from contextlib import closing
from dataclasses import dataclass
from typing import Annotated, Literal

from typer import Option

from runner.cli.options import Run
from runner.run.options import DEFAULT_DB, Db, Json, Wide


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """The options of `evals report`."""

    run: Run = "latest"
    db: Db = DEFAULT_DB
    json: Json = False
    wide: Wide = False
    markdown: Annotated[bool, Option("--markdown", help="Print the report as Markdown.")] = False
    edits: Annotated[
        Literal["1", "2", "3+"] | None, Option("--edits", help="Only attempts with this number of edit blocks.")
    ] = None


def report(options: ReportOptions) -> None:
    """Show a run: rates with intervals, outcomes, timings, cost."""
    from runner.console import put, put_json, say, show
    from runner.document import markdown
    from runner.storage.runs import find_run
    from runner.storage.spill import waiting_note
    from runner.storage.store import Store
    from runner.suites import suite_named

    with closing(Store.open(options.db, create=False)) as store:
        run = find_run(store, options.run)
        result = suite_named(run["suite"]).report(store, run, options.edits)
        if options.json:
            put_json(result.data)
        elif options.markdown:
            put(markdown(result.document))
        else:
            show(result.document, wide=options.wide)
        if note := waiting_note(store.path, run["run_id"]):
            say(note)


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
