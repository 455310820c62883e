"""`evals nextedit`: commits replayed edit by edit, and systems asked what comes next."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal

import typer
from typer import Option

from runner.cli.command import command, register
from runner.cli.help import ModelsGroup
from runner.cli.nextedit_bundle import BundleOptions, bundle
from runner.cli.nextedit_new_system import NewSystemOptions, new_system
from runner.cli.nextedit_order import OrderCommand, order
from runner.cli.nextedit_variables import is_default, with_variables
from runner.suites.nextedit.options import NextEditOptions

_TRUE = frozenset({"true", "1", "t", "y", "yes"})


@dataclass(frozen=True, slots=True, kw_only=True)
class NextEditCommandOptions:
    """The options of `evals nextedit`: those of a run, and what only the command does with it."""

    context: typer.Context
    run: NextEditOptions = field(default_factory=NextEditOptions)
    compat: Annotated[
        Literal["historian"] | None, Option("--compat", help="Replay and score as the original program does.")
    ] = None
    output_dir: Annotated[
        Path | None,
        Option(
            "--output-dir", metavar="DIR", envvar="OUTPUT_DIR", help="Write one result file per commit to this folder."
        ),
    ] = None
    flow_analysis: Annotated[
        str,
        Option(
            "--flow-analysis",
            envvar="FLOW_ANALYSIS",
            hidden=True,
            help="Historian's name for --order: false means --order none.",
        ),
    ] = ""


def nextedit(options: NextEditCommandOptions) -> None:
    """Replay commits edit by edit, and ask for the next edit."""
    if options.context.invoked_subcommand is not None:
        return
    from runner.cli.nextedit_run import run_and_show
    from runner.suites.nextedit.folders import check_folder

    options = with_variables(options.context, options)
    if options.output_dir is not None:
        check_folder("--output-dir", options.output_dir)
    if options.compat is not None:
        _replay_as_historian(options)
        return
    flow = options.flow_analysis.lower()
    if flow and flow not in _TRUE and is_default(options.context, "order"):
        options = replace(options, run=replace(options.run, order="none"))
    raise typer.Exit(run_and_show(options.run, options.output_dir))


app = typer.Typer(
    help="Replay commits edit by edit, and ask for the next edit.", no_args_is_help=False, cls=ModelsGroup
)
app.callback(invoke_without_command=True)(command(NextEditCommandOptions, nextedit))
register(app, "bundle", BundleOptions, bundle)
register(app, "order", OrderCommand, order)
register(app, "new-system", NewSystemOptions, new_system)


def _replay_as_historian(options: NextEditCommandOptions) -> None:
    from runner.cli.nextedit_compat import replay_by_originals_rules
    from runner.suites.nextedit.compat.mode import DEFAULT_SEED

    if options.run.dry_run:
        from runner.errors import InputError

        raise InputError("--dry-run: --compat historian asks no model, and has no plan to print; leave one of them out")
    seed = DEFAULT_SEED if is_default(options.context, "seed") else options.run.seed
    ordered = not is_default(options.context, "order")
    replay_by_originals_rules(replace(options.run, seed=seed), options.output_dir, ordered=ordered)
