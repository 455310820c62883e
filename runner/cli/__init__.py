"""The command line: one module per command, each of which parses, calls and prints, nothing else."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer
from typer.main import get_command

from runner.cli import (
    cases,
    codrep,
    completion,
    cost,
    diff,
    doctor,
    edit,
    lists,
    nextedit,
    prune,
    replay,
    report,
    rescore,
    score,
    selftest,
    serve_sim,
    show,
    stream,
    study,
    trust,
)
from runner.cli.command import register
from runner.cli.import_path import leave_current_folder_out
from runner.cli.origins import EXPLAIN, TRUST, refused_origin, run_configured
from runner.errors import InputError

app = typer.Typer(
    name="evals",
    help="Benchmark LLM providers on code editing: ask, apply, score, compare.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
register(app, "diff", diff.Options, diff.diff)
register(app, "replay", replay.Options, replay.replay)
register(app, "report", report.ReportOptions, report.report)
register(app, "runs", report.RunsOptions, report.runs)
app.command("show")(show.show)
app.command("stream")(stream.stream)
app.command("prune")(prune.prune)
app.command("export")(show.export)
app.command("cost")(cost.cost)
app.command("prices")(cost.prices)
register(app, "rescore", rescore.Options, rescore.rescore)
app.command("score")(score.score)
app.command("study")(study.study)
app.command("trust")(trust.trust)
app.command("doctor")(doctor.doctor)
app.command("models")(lists.models)
app.command("prompts")(lists.prompts)
app.command("parsers")(lists.parsers)
app.command("algorithms")(lists.algorithms)
app.command("metrics")(lists.metrics)
app.command("selftest")(selftest.selftest)
app.command("serve-sim")(serve_sim.serve_sim)
app.add_typer(cases.app, name="cases")
app.add_typer(codrep.app, name="codrep")
app.add_typer(completion.app, name="completion")
app.add_typer(edit.app, name="edit")
app.add_typer(nextedit.app, name="nextedit")


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        from runner.console import put

        put(f"evals {version('evals')}\n")
        raise typer.Exit


@app.callback()
def evals(
    _version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version.")
    ] = False,
    _explain: Annotated[
        bool, typer.Option(EXPLAIN, help="Print each option's value and where it came from; after any command, too.")
    ] = False,
    _trust: Annotated[
        bool,
        typer.Option(TRUST, help="Use all that this project's files say, this once; after any command, too."),
    ] = False,
) -> None:
    """Benchmark LLM providers on code editing: ask, apply, score, compare."""


def main() -> None:
    """Run a command; bad input, a misspelt option included, is one line and exit code 2."""
    leave_current_folder_out()
    try:
        with _ending_tidily():
            code = run_configured(get_command(app), sys.argv[1:], Path.cwd())
    except InputError as error:
        sys.exit(_refused(*getattr(error, "findings", (str(error),))))
    except typer.TyperException as error:
        sys.exit(_misused(error))
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(code if isinstance(code, int) else 0)


@contextmanager
def _ending_tidily() -> Iterator[None]:
    """Let SIGTERM end the command as an interrupt does, by an exception, so that nothing is left; exit code 143.

    A handler, unlike a signal that is ignored, is not inherited by the programs that are started.
    """
    main_thread = threading.current_thread() is threading.main_thread()
    if not main_thread or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return

    def end(number: int, _frame: FrameType | None) -> None:
        # Told again, it does not wait any longer for what is under way, as by a second interrupt.
        sys.exit(128 + number)

    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _refused(*reasons: str) -> int:
    from runner.console import refuse

    for reason in reasons:
        refuse(reason)
    return 2


def _misused(error: typer.TyperException) -> int:
    """Say what is wrong with options or arguments; a command without any shows its help instead."""
    context: typer.Context | None = getattr(error, "ctx", None)
    words = error.format_message()
    if context is not None and words == context.get_help():
        from runner.console import show_lines

        show_lines(words.split("\n"))
        return 2
    command = context.command_path if context is not None else "evals"
    origin = refused_origin(error)
    return _refused(f"{f'{origin}: ' if origin else ''}{words.rstrip('.')}; see `{command} --help`")
