"""`evals export`: all attempts of a run as records."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Option

from runner.cli.options import Run
from runner.run.options import DEFAULT_DB, Db

if TYPE_CHECKING:
    from runner.storage.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """The options of `evals export`."""

    run: Run = "latest"
    format: Annotated[Literal["jsonl", "csv", "parquet"], Option("--format", help="The format of the records.")] = (
        "jsonl"
    )
    out: Annotated[Path | None, Option("--out", "-o", metavar="FILE", help="A file, in place of stdout.")] = None
    db: Db = DEFAULT_DB


def export(options: ExportOptions) -> None:
    """Write every attempt as a JSON, CSV or Parquet record.

    Writes a record for each scoring and for each failure of the infrastructure. Parquet takes pyarrow (an extra), and
    has a column for each metric.
    """
    from tempfile import TemporaryFile

    from runner.console import put_file
    from runner.storage.runs import find_run
    from runner.storage.store import Store

    with closing(Store.open(options.db, create=False)) as store:
        run_id = find_run(store, options.run)["run_id"]
        if options.format == "parquet":
            from runner.report.parquet import write_parquet

            # Whole before it is passed on: the end of a Parquet file is its table of contents.
            with TemporaryFile() as file:
                write_parquet(store, run_id, file)
                put_file(file, options.out)
            return
        _export_texts(store, run_id, options)


def _export_texts(store: "Store", run_id: str, options: ExportOptions) -> None:
    from tempfile import TemporaryFile

    from runner.console import put, put_file
    from runner.report.export import as_csv, as_jsonl, records

    write = as_csv if options.format == "csv" else as_jsonl
    if options.out is None:
        for text in write(records(store, run_id)):
            put(text)
        return
    with TemporaryFile() as file:
        for text in write(records(store, run_id)):
            file.write(text.encode())
        put_file(file, options.out)
