"""`evals show` and `evals export`: one attempt in full, and all of them as records."""

from contextlib import closing
from typing import Annotated

import typer

from runner.cli.options import DEFAULT_DB, Db, Json, Run


def show(
    run: Run,
    case: Annotated[str, typer.Argument(help="The case's id.")],
    number: Annotated[int | None, typer.Argument(help="The attempt's number; all if not given.")] = None,
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Show attempts at a case: prompt, answer, blocks, and the nearest place where a block did not match."""
    from runner.console import put_json, show_lines
    from runner.report.attempt import attempt_lines, attempts_of
    from runner.storage.runs import find_run
    from runner.storage.store import Store

    with closing(Store.open(db, create=False)) as store:
        attempts = attempts_of(store, find_run(store, run), case, number)
        if json:
            put_json(attempts)
        else:
            for attempt in attempts:
                show_lines(attempt_lines(attempt))


def export(
    run: Run = "latest",
    format: Annotated[str, typer.Option("--format", help="jsonl or csv.")] = "jsonl",  # noqa: A002 - the option's name
    db: Db = DEFAULT_DB,
) -> None:
    """Write every scored attempt, and every infrastructure outcome, as a record to stdout."""
    from runner.console import put
    from runner.errors import InputError
    from runner.report.export import as_csv, as_jsonl, records
    from runner.storage.runs import find_run
    from runner.storage.store import Store

    writers = {"jsonl": as_jsonl, "csv": as_csv}
    if format not in writers:
        raise InputError(f"--format: {format!r} is not known; give {' or '.join(writers)}")
    with closing(Store.open(db, create=False)) as store:
        for text in writers[format](records(store, find_run(store, run)["run_id"])):
            put(text)
