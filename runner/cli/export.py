"""`evals export`: all attempts of a run as records."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Option

from runner.cli.options import Run
from runner.run.options import DEFAULT_DB, Db

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runner.storage.store import Row, Store
_FORMAT = "The format of the records; atif = trajectories in Harbor's interchange format, one JSON object a line."


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """The options of `evals export`."""

    run: Run = "latest"
    format: Annotated[Literal["jsonl", "csv", "parquet", "atif"], Option("--format", help=_FORMAT)] = "jsonl"
    out: Annotated[Path | None, Option("--out", "-o", metavar="FILE", help="A file, in place of stdout.")] = None
    db: Db = DEFAULT_DB


def export(options: ExportOptions) -> None:
    """Write every attempt as a JSON, CSV or Parquet record, or as a trajectory.

    Writes a record for each scoring and for each failure of the infrastructure. Parquet takes pyarrow (an extra), and
    has a column for each metric.
    """
    from tempfile import TemporaryFile

    from runner.console import put_file
    from runner.storage.runs import find_run
    from runner.storage.store import Store

    with closing(Store.open(options.db, create=False)) as store:
        run = find_run(store, options.run)
        run_id = run["run_id"]
        if options.format == "parquet":
            from runner.report.parquet import write_parquet

            # Whole before it is passed on: the end of a Parquet file is its table of contents.
            with TemporaryFile() as file:
                write_parquet(store, run_id, file)
                put_file(file, options.out)
            return
        _export_texts(store, run, options)


def _export_texts(store: "Store", run: "Row", options: ExportOptions) -> None:
    from tempfile import TemporaryFile

    from runner.console import put, put_file

    texts = _texts(store, run, options.format)
    if options.out is None:
        for text in texts:
            put(text)
        return
    with TemporaryFile() as file:
        for text in texts:
            file.write(text.encode())
        put_file(file, options.out)


def _texts(store: "Store", run: "Row", form: str) -> "Iterator[str]":
    from runner.report.export import as_csv, as_jsonl, records

    rows = records(store, run["run_id"])
    if form == "atif":
        from runner.report.atif import as_atif

        return as_atif(store, run, rows)
    return as_csv(rows) if form == "csv" else as_jsonl(rows)
