"""The command line: the table of all commands, and the program's entry point."""

import atexit
import gc
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

from runner.cli.import_path import leave_current_folder_out
from runner.cli.lazy import CommandEntry, LazyGroup
from runner.cli.origins import EXPLAIN, TRUST, refused_origin, run_configured
from runner.errors import InputError

# Every command: where it is, and its line in the help. A module is imported when its command is called.
COMMANDS = {
    "diff": CommandEntry("runner.cli.diff", "diff", "Ask models for edits; apply, score and report them."),
    "replay": CommandEntry("runner.cli.replay", "replay", "Score a run's stored answers again; no model is asked."),
    "report": CommandEntry("runner.cli.report", "report", "Show runs: rates with intervals, outcomes, timings, cost."),
    "view": CommandEntry("runner.cli.view", "view", "Show runs, attempts and cases in a browser, until interrupted."),
    "compare": CommandEntry(
        "runner.cli.compare", "compare", "Compare variants on common cases: differences and tests."
    ),
    "runs": CommandEntry("runner.cli.runs", "runs", "List the runs, newest first."),
    "show": CommandEntry("runner.cli.show", "show", "Show attempts: how each ended and why, one on a screen."),
    "diagnose": CommandEntry("runner.cli.diagnose", "diagnose", "Show why edits failed, and which leniency would pay."),
    "audit": CommandEntry("runner.cli.audit", "audit", "Show how the edits of recorded agent sessions went."),
    "stream": CommandEntry("runner.cli.stream", "stream", "Play a stored answer in the terminal as it arrived."),
    "prune": CommandEntry("runner.cli.prune", "prune", "Delete raw streams, unused texts and free space."),
    "export": CommandEntry("runner.cli.export", "export", "Write every attempt as a record or as a trajectory."),
    "bundle": CommandEntry("runner.cli.bundle", "bundle", "Write a run as one file that anyone can verify."),
    "verify": CommandEntry("runner.cli.verify", "verify", "Compute a bundle's figures again, and name what differs."),
    "import": CommandEntry("runner.cli.verify", "import_", "Make the run of a bundle a run of a database."),
    "merge": CommandEntry("runner.cli.merge", "merge", "Merge databases, such as those of all shards of a run."),
    "import-cline": CommandEntry(
        "runner.cli.import_cline", "import_cline", "Make the runs of Cline's evals.db runs of a database."
    ),
    "cost": CommandEntry("runner.cli.cost", "cost", "Reconcile what a run cost, for each model."),
    "prices": CommandEntry("runner.cli.cost", "prices", "Show the dated price table, or refresh it from a file."),
    "rescore": CommandEntry("runner.cli.rescore", "rescore", "Add metrics to a stored run."),
    "score": CommandEntry("runner.cli.score", "score", "Score one edit, or a file of edits, by metrics."),
    "study": CommandEntry("runner.cli.study", "study", "Correlate metrics of edits with the results of tests."),
    "trust": CommandEntry("runner.cli.trust", "trust", "Review what this project's files ask for, and trust it."),
    "doctor": CommandEntry("runner.cli.doctor", "doctor", "Check the installation, keys, endpoints and the database."),
    "models": CommandEntry("runner.cli.lists", "models", "List providers, keys and prices, and simulated models."),
    "prompts": CommandEntry("runner.cli.lists", "prompts", "List the prompts that come with evals."),
    "parsers": CommandEntry("runner.cli.lists", "parsers", "List the parsers."),
    "algorithms": CommandEntry("runner.cli.lists", "algorithms", "List the algorithms that apply diffs."),
    "metrics": CommandEntry("runner.cli.lists", "metrics", "List the metrics of edits."),
    "selftest": CommandEntry(
        "runner.cli.selftest", "selftest", "Prove the installation on simulated models of known rates."
    ),
    "serve-sim": CommandEntry(
        "runner.cli.serve_sim", "serve_sim", "Serve simulated models over HTTP, until interrupted."
    ),
    "cases": CommandEntry("runner.cli.cases", "app", "Check folders of cases, and make new ones."),
    "tool": CommandEntry("runner.cli.tool", "app", "Begin an edit tool of your own."),
    "codrep": CommandEntry("runner.cli.codrep", "app", "CodRep: which line of a file does a new line replace?"),
    "completion": CommandEntry("runner.cli.completion", "app", "Ask models to complete code; judge it by unit tests."),
    "edit": CommandEntry("runner.cli.edit", "app", "Ask models for edits by instruction; judge them by tests."),
    "nextedit": CommandEntry("runner.cli.nextedit", "app", "Replay commits edit by edit, and ask for the next edit."),
}


class _Commands(LazyGroup):
    """The commands of the table."""

    entries = COMMANDS


app = typer.Typer(
    name="evals",
    help="Benchmark LLM providers on code editing: ask, apply, score, compare.",
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(requested: bool) -> None:
    if requested:
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
        bool,
        typer.Option(EXPLAIN, help="Print the value and the origin of each option; also accepted after a command."),
    ] = False,
    _trust: Annotated[
        bool,
        typer.Option(
            TRUST, help="Use all settings of this project's files for this call; also accepted after a command."
        ),
    ] = False,
) -> None:
    """Benchmark LLM providers on code editing: ask, apply, score, compare."""


def main() -> None:
    """Run a command; bad input, such as an unknown option, gives one line and exit code 2."""
    # Loading modules makes many objects and no garbage: to search them every 700 costs 20 to 40 ms.
    gc.set_threshold(20_000)
    # Nor is there any to find when all modules go, in the end: to search them once more costs 60 ms.
    atexit.register(gc.freeze)
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
    """End the command by an exception on SIGTERM, as on an interrupt, so that nothing is left; exit code 143.

    Started programs do not inherit a handler, as they would an ignored signal.
    """
    main_thread = threading.current_thread() is threading.main_thread()
    if not main_thread or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return

    def end(number: int, _frame: FrameType | None) -> None:
        # A second signal ends it at once, as a second interrupt does.
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
    """Print what is wrong with options or arguments; for a command without any, its help."""
    context: typer.Context | None = getattr(error, "ctx", None)
    words = error.format_message()
    if context is not None and words == context.get_help():
        from runner.console import say

        for line in words.split("\n"):
            say(line)
        return 2
    command = context.command_path if context is not None else "evals"
    origin = refused_origin(error)
    return _refused(f"{f'{origin}: ' if origin else ''}{words.rstrip('.')}; see `{command} --help`")
