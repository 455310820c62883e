"""Running a suite by command: execute it, then show the report and the results expected of simulated models."""

from contextlib import closing
from dataclasses import asdict

import typer

from runner.errors import InputError
from runner.run.options import AskOptions


def run_suite(name: str, options: AskOptions) -> None:
    """Execute a suite by its name and show its run; ends the command with the exit code."""
    from runner.console import put_json, say, show
    from runner.run.execute import execute, say_resume
    from runner.run.session import INCOMPLETE
    from runner.storage.runs import find_run
    from runner.storage.store import Store
    from runner.suites import suite_named

    suite = suite_named(name)
    executed = execute(suite, options)
    if options.dry_run and options.json:
        put_json(executed.preview.data)
    if executed.run_id:
        try:
            with closing(Store.open(options.db)) as store:
                report = suite.report(store, find_run(store, executed.run_id), None)
        except InputError as error:
            if executed.exit_code != INCOMPLETE:
                raise
            # What keeps the session from being recorded may keep it from being read; the run can be resumed.
            say(f"no report: {error}")
            raise typer.Exit(INCOMPLETE) from None
        if options.json:
            put_json({**report.data, "expected": [asdict(counts) for counts in executed.expected]})
        else:
            show(report.document, wide=options.wide)
            # An incomplete run has not asked all that is counted.
            for counts in () if executed.incomplete else executed.expected:
                repaired = f", {counts.repaired} once they are cut" if counts.repaired != counts.right else ""
                say(
                    f"simulated to be right: {counts.right} of {counts.answers} valid answers of {counts.sut}"
                    f" by {counts.prompt}{repaired} ({counts.outcomes})"
                )
    say_resume(executed)
    raise typer.Exit(executed.exit_code)
