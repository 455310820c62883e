"""`evals show` and `evals export`: one attempt in full, and all of them as records."""

from contextlib import closing
from dataclasses import dataclass
from typing import Annotated, Literal

from typer import Argument, Option

from runner.cli.options import CaseId, Run
from runner.run.options import DEFAULT_DB, Db, Json


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowOptions:
    """The options of `evals show`."""

    run: Run
    case: CaseId
    number: Annotated[int | None, Argument(help="The number of the attempt. [default: all]")] = None
    db: Db = DEFAULT_DB
    json: Json = False


def show(options: ShowOptions) -> None:
    """Show the attempts at a case: prompt, answer and edit blocks.

    For a block that did not match, shows the most similar place.
    """
    from runner.console import put_json, show_lines
    from runner.report.attempt import attempt_lines, attempts_of
    from runner.storage.runs import find_run
    from runner.storage.store import Store

    with closing(Store.open(options.db, create=False)) as store:
        attempts = attempts_of(store, find_run(store, options.run), options.case, options.number)
        if options.json:
            put_json(attempts)
        else:
            for attempt in attempts:
                show_lines(attempt_lines(attempt))


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """The options of `evals export`."""

    run: Run = "latest"
    format: Annotated[Literal["jsonl", "csv"], Option("--format", help="The format of the records.")] = "jsonl"
    db: Db = DEFAULT_DB


def export(options: ExportOptions) -> None:
    """Write every attempt as a JSON or CSV record to stdout.

    Writes a record for each scoring and for each failure of the infrastructure.
    """
    from runner.console import put
    from runner.report.export import as_csv, as_jsonl, records
    from runner.storage.runs import find_run
    from runner.storage.store import Store

    write = as_csv if options.format == "csv" else as_jsonl
    with closing(Store.open(options.db, create=False)) as store:
        for text in write(records(store, find_run(store, options.run)["run_id"])):
            put(text)
