"""`evals nextedit`: commits replayed edit by edit, and systems asked what comes next."""

from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from typer import Option

from runner.cli.command import command, register
from runner.cli.nextedit_bundle import BundleOptions, bundle
from runner.cli.nextedit_order import OrderCommand, order
from runner.cli.nextedit_variables import is_default, with_variables
from runner.suites.nextedit.options import NextEditOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runner.run.suite import Report
    from runner.suites.nextedit.run_replays import RunReplay

_TRUE = frozenset({"true", "1", "t", "y", "yes"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of `evals nextedit`: those of a run, and what only the command does with it."""

    context: typer.Context
    run: NextEditOptions = field(default_factory=NextEditOptions)
    compat: Annotated[
        Literal["historian"] | None, Option("--compat", help="Replay and score as the original does.")
    ] = None
    output_dir: Annotated[
        Path | None,
        Option("--output-dir", metavar="DIR", envvar="OUTPUT_DIR", help="Write a result file per commit here."),
    ] = None
    flow_analysis: Annotated[
        str,
        Option(
            "--flow-analysis",
            envvar="FLOW_ANALYSIS",
            hidden=True,
            help="Historian's name for what --order says: false asks for no order.",
        ),
    ] = ""


def nextedit(given: Options) -> None:
    """Replay commits edit by edit, and ask systems what comes next."""
    if given.context.invoked_subcommand is not None:
        return
    from runner.suites.nextedit.folders import check_folder

    given = with_variables(given.context, given)
    if given.output_dir is not None:
        check_folder("--output-dir", given.output_dir)
    if given.compat is not None:
        _replay_as_historian(given)
        return
    flow = given.flow_analysis.lower()
    if flow and flow not in _TRUE and is_default(given.context, "order"):
        given = replace(given, run=replace(given.run, order="none"))
    raise typer.Exit(_run(given.run, given.output_dir))


app = typer.Typer(help="Replay commits edit by edit, and ask systems what comes next.", no_args_is_help=False)
app.callback(invoke_without_command=True)(command(Options, nextedit))
register(app, "bundle", BundleOptions, bundle)
register(app, "order", OrderCommand, order)


def _replay_as_historian(given: Options) -> None:
    from runner.cli.nextedit_compat import replay_by_originals_rules
    from runner.suites.nextedit.historian.mode import DEFAULT_SEED

    if given.run.dry_run:
        from runner.errors import InputError

        raise InputError("--dry-run: --compat historian asks no model, and has no plan to print; leave one of them out")
    seed = DEFAULT_SEED if is_default(given.context, "seed") else given.run.seed
    ordered = not is_default(given.context, "order")
    replay_by_originals_rules(replace(given.run, seed=seed), given.output_dir, ordered=ordered)


def _run(options: NextEditOptions, output_dir: Path | None) -> int:
    """Replay what the options say, and show it; the exit code."""
    from runner.console import put_json
    from runner.run.execute import execute
    from runner.storage.runs import find_run
    from runner.storage.store import Store
    from runner.suites.nextedit import SUITE
    from runner.suites.nextedit.report import known_replays, report_with

    executed = execute(SUITE, options)
    if options.dry_run and options.json:
        put_json(executed.preview.data)
    if not executed.run_id:
        return executed.exit_code
    with closing(Store.open(options.db)) as store:
        run = find_run(store, executed.run_id)
        replays = known_replays(store, run)
        report = report_with(store, run, replays)
    _write(replays, output_dir)
    _show(report, as_json=options.json)
    return executed.exit_code or _say_failures(replays)


def _write(replays: "Sequence[RunReplay]", folder: Path | None) -> None:
    from runner.suites.nextedit.results import write_replay

    for each in replays if folder is not None else ():
        assert folder is not None
        write_replay(each.replay, each.name, each.project, folder)


def _show(report: "Report", *, as_json: bool) -> None:
    from runner.console import put_json, show

    if as_json:
        rest = {name: value for name, value in report.data.items() if name != "nextedit"}
        put_json({**rest, "systems": report.data["nextedit"]})
    else:
        show(report.document)


def _say_failures(replays: "Sequence[RunReplay]") -> int:
    """Say which systems failed at every question; the exit code for that, 0 if there are none."""
    from runner.console import say
    from runner.suites.nextedit.summary import failure

    failed = False
    for name in dict.fromkeys(each.name for each in replays):
        trouble = failure([each.replay for each in replays if each.name == name])
        if trouble is not None:
            failed = True
            # The last line of a traceback is what happened.
            say(f"{name} failed at every question: {trouble.reason}: {trouble.message.splitlines()[-1]}")
    return int(failed)
