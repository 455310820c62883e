"""The command line: one module per command, each of which parses, calls and prints, nothing else."""

import sys

import typer

from runner.cli import cases, diff, replay, report, serve_sim, show
from runner.errors import InputError

app = typer.Typer(
    name="evals",
    help="Benchmark LLM providers on code editing: ask, apply, score, compare.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("diff")(diff.diff)
app.command("replay")(replay.replay)
app.command("report")(report.report)
app.command("runs")(report.runs)
app.command("show")(show.show)
app.command("export")(show.export)
app.command("serve-sim")(serve_sim.serve_sim)
app.add_typer(cases.app, name="cases")


def main() -> None:
    """Run a command; bad input is one line and exit code 2."""
    try:
        app()
    except InputError as error:
        sys.stderr.write(f"evals: {error}\n")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
