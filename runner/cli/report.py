"""`evals report` and `evals runs`: what runs show, and which there are."""

from contextlib import closing
from typing import Annotated, cast, get_args

import typer

from runner.cli.options import DEFAULT_DB, Db, Json, Run


def report(
    run: Run = "latest",
    db: Db = DEFAULT_DB,
    json: Json = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Write Markdown to stdout.")] = False,
    edits: Annotated[str | None, typer.Option(help="Only attempts of so many blocks: 1, 2 or 3+.")] = None,
) -> None:
    """Show a run: rates with intervals, outcomes, clocks, cost."""
    from runner.console import put, put_json, show
    from runner.document import markdown as as_markdown
    from runner.errors import InputError
    from runner.report.summary import Edits
    from runner.storage.runs import find_run
    from runner.storage.store import Store
    from runner.suites.of_run import report_of

    if edits is not None and edits not in get_args(Edits):
        raise InputError(f"--edits: {edits!r} is not known; give {', '.join(get_args(Edits))}")
    with closing(Store.open(db, create=False)) as store:
        found = report_of(store, find_run(store, run), cast("Edits | None", edits))
        if json:
            put_json(found.data)
        elif markdown:
            put(as_markdown(found.document))
        else:
            show(found.document)


def runs(
    db: Db = DEFAULT_DB,
    sizes: Annotated[bool, typer.Option("--sizes", help="What each takes in the database; see `evals prune`.")] = False,
    json: Json = False,
) -> None:
    """List the runs, newest first."""
    from runner.console import put_json, show
    from runner.report.runs import runs_data, runs_document
    from runner.storage.prune import sizes as sizes_of
    from runner.storage.runs import list_runs
    from runner.storage.store import Store

    with closing(Store.open(db, create=False)) as store:
        found = list_runs(store)
        taken = sizes_of(store) if sizes else None
    put_json(runs_data(found, taken)) if json else show(runs_document(str(db), found, taken))
