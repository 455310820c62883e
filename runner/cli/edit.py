"""`evals edit`: files to change as an instruction says, judged by the problems' tests."""

import os
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from runner.cli.command import register
from runner.cli.options import StoredRun
from runner.cli.running import run_suite
from runner.run.options import DEFAULT_DB, Db, Jobs, Json, WeakSandbox, YesWeak
from runner.suites.edit.options import Commands, EditOptions, File, Timeout

app = typer.Typer(help="Ask models for edits by instruction; judge them by tests.", no_args_is_help=True)


def run(options: EditOptions) -> None:
    """Ask models for edits, run the tests, and report what passed.

    Each problem is asked again until it has its quota of valid attempts.
    """
    run_suite("edit", options)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions:
    """The options of `evals edit check`."""

    file: File
    command: Commands = None
    timeout: Timeout = 10.0
    jobs: Jobs = 2
    weak_sandbox: WeakSandbox = False
    yes: YesWeak = False
    json: Json = False


def check(options: CheckOptions) -> None:
    """Check that the problems can be solved, and only by an edit.

    The test must fail on the origin and pass on the reference; the exit code is 2 if not.
    """
    from runner.console import put_json, refuse, say
    from runner.execution.isolation import Weak
    from runner.execution.script_commands import commands_of
    from runner.execution.script_judge import search_path
    from runner.suites.edit.check import checked
    from runner.suites.edit.judging import open_judge

    judge = open_judge(
        search_path(os.environ),
        commands_of(tuple(options.command or ())),
        options.timeout,
        (options.file,),
        Weak(options.weak_sandbox, options.yes),
    )
    problems, findings = checked(options.file, judge, options.jobs)
    if options.json:
        put_json({"problems": len(problems), "findings": findings})
    else:
        for finding in findings:
            refuse(finding)
        say(f"{len(problems)} problems can be read, {len(findings)} findings in {options.file}")
    if findings:
        raise typer.Exit(2)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """The options of `evals edit export`."""

    out: Annotated[Path, Option("--out", metavar="DIR", help="The folder for problems.jsonl and predictions.jsonl.")]
    run_id: StoredRun = "latest"
    db: Db = DEFAULT_DB


def export(options: ExportOptions) -> None:
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
register(app, "check", CheckOptions, check)
register(app, "export", ExportOptions, export)
