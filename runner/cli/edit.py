"""`evals edit`: files to change as an instruction says, judged by the problems' tests."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Option

from runner.cli.command import group_of_commands, register
from runner.cli.edit_check import EditCheckOptions, check
from runner.cli.options import StoredRun
from runner.cli.running import run_suite
from runner.run.options import DEFAULT_DB, Db
from runner.suites.edit.options import EditOptions

app = group_of_commands("Ask models for edits by instruction; judge them by tests.")


def run(options: EditOptions) -> None:
    """Ask models for edits, run the tests, and report what passed.

    Each problem is asked again until it has its quota of valid attempts.
    """
    run_suite("edit", options)


@dataclass(frozen=True, slots=True, kw_only=True)
class EditExportOptions:
    """The options of `evals edit export`."""

    out: Annotated[Path, Option("--out", metavar="DIR", help="The folder for problems.jsonl and predictions.jsonl.")]
    run_id: StoredRun = "latest"
    db: Db = DEFAULT_DB


def export(options: EditExportOptions) -> None:
    """Write the judged answers of a run for `evals study`."""
    from runner.console import say
    from runner.storage.runs import find_run
    from runner.storage.store import Store
    from runner.suites.edit.export import export_run, write_export

    with closing(Store.open(options.db, create=False)) as store:
        exported = export_run(store, find_run(store, options.run_id))
    write_export(exported, options.out)
    left_out = "".join(f", {count} {outcome} left out" for outcome, count in exported.left_out.items())
    say(f"{len(exported.problems)} problems, {len(exported.predictions)} answers in {options.out}{left_out}")


register(app, "run", EditOptions, run)
register(app, "check", EditCheckOptions, check)
register(app, "export", EditExportOptions, export)
