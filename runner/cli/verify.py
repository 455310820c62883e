"""`evals verify` and `evals import`: what is done with a run that others wrote as one file."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from runner.cli.options import Wires
from runner.run.options import DEFAULT_DB, Db, Json, WeakSandbox, YesWeak

BundleFile = Annotated[Path, Argument(metavar="FILE", help="A file that `evals bundle` wrote.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyCommandOptions:
    """The options of `evals verify`."""

    file: BundleFile
    run_tests: Annotated[
        bool, Option("--run-tests", help="Run the tests again that judged results, in cells. They are others' code.")
    ] = False
    repo: Annotated[
        Path | None, Option("--repo", metavar="DIR", help="The repository whose tests judged completions.")
    ] = None
    edit_tool: Annotated[
        str,
        Option(
            "--edit-tool", help="The foreign edit tools of the run, exec:CMD, comma-separated: no bundle starts them."
        ),
    ] = ""
    weak_sandbox: WeakSandbox = False
    yes: YesWeak = False
    wire: Wires = None
    json: Json = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """The options of `evals import`."""

    file: BundleFile
    db: Db = DEFAULT_DB
    json: Json = False


def verify(options: VerifyCommandOptions) -> None:
    """Compute a bundle's figures again, and name what differs.

    All of them follow from bytes of answers and from cases. Nothing is asked, and nothing is written. Exit code 1 if
    something differs. That nothing differs does not say who made the bundle, nor that its bytes came from a model.
    """
    import typer

    from runner.bundles.container import opened_bundle
    from runner.bundles.verify_options import VerifyOptions
    from runner.bundles.verifying import verify_bundle
    from runner.console import put_json, show_lines
    from runner.execution.isolation import Weak
    from runner.run.resolve import split_names

    with opened_bundle(options.file) as opened:
        wires = tuple(options.wire or ())
        tools = split_names(options.edit_tool, "--edit-tool") if options.edit_tool else ()
        weak = Weak(options.weak_sandbox, options.yes)
        result = verify_bundle(opened, VerifyOptions(wires, options.run_tests, options.repo, tools, weak))
    put_json(result.data) if options.json else show_lines(result.lines)
    if not result.holds:
        raise typer.Exit(1)


def import_(options: ImportOptions) -> None:
    """Make the run of a bundle a run of a database.

    Nothing changes if it is there already. A run whose id is taken by another run is given a new one.
    """
    from runner.bundles.container import opened_bundle
    from runner.bundles.importing import import_bundle
    from runner.console import put_json, say
    from runner.errors import InputError
    from runner.storage.foreign import opened_whole

    with opened_bundle(options.file) as opened:
        opened.check_digests()
        if opened.faults:
            raise InputError(f"{options.file}: {opened.faults[0]}; see `evals verify {options.file}`")
        with opened_whole(options.db) as store:
            runs = import_bundle(store, opened)
    if options.json:
        put_json([{"run_id": run.run_id, "bundled_id": run.bundled_id, "was_there": run.was_there} for run in runs])
        return
    for run in runs:
        renamed = "" if run.run_id == run.bundled_id else f" (another run is called {run.bundled_id})"
        say(f"run {run.run_id}: {'is there already' if run.was_there else 'imported'}{renamed}")
