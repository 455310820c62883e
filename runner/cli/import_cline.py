"""`evals import-cline`: the runs of an evals.db of Cline's diff-edit evaluation."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from runner.run.options import DEFAULT_DB, Db, Json


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportClineOptions:
    """The options of `evals import-cline`."""

    file: Annotated[Path, Argument(metavar="FILE", help="An evals.db of Cline's diff-edit evaluation.")]
    run_id: Annotated[str, Option("--run-id", help="Only the run whose id begins so. [default: all runs]")] = ""
    db: Db = DEFAULT_DB
    json: Json = False


def import_cline(options: ImportClineOptions) -> None:
    """Make the runs of Cline's evals.db runs of a database.

    They are as the original recorded them, to be reported, compared, shown and replayed. What is there already is left
    alone. The original stored no conversations, no streams and no reasons why a diff did not apply.
    """
    from runner.console import put_json, say
    from runner.errors import InputError
    from runner.storage.foreign import opened_foreign, opened_whole
    from runner.suites.diff_edit.cline_database import check_form, cline_runs
    from runner.suites.diff_edit.cline_import import import_run

    with opened_foreign(options.file) as database:
        check_form(database)
        runs = [run for run in cline_runs(database) if run.run_id.startswith(options.run_id)]
        if not runs:
            which = f" whose id begins with {options.run_id!r}" if options.run_id else ""
            raise InputError(f"{options.file}: has no run{which}; name another file")
        with opened_whole(options.db) as store:
            imported = [import_run(store, database, run) for run in runs]
    if options.json:
        put_json([run.data for run in imported])
        return
    for run in imported:
        counts = "; ".join(f"{name}: {count}" for name, count in run.counts.items())
        say(f"run {run.run_id}: {'is there already' if run.was_there else f'imported ({counts})'}")
