"""`evals report`: the report of runs, in a terminal or as a page, with gates for CI."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Argument, Option

from runner.cli.gates import GateOptions
from runner.run.options import DEFAULT_DB, Db, Json, Wide

if TYPE_CHECKING:
    from runner.cli.gates import Judged
    from runner.report.gates import GateResult
    from runner.storage.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """The options of `evals report`."""

    runs: Annotated[
        list[str] | None, Argument(help="The runs: ids, prefixes of ids, or `latest`, which is the default.")
    ] = None
    db: Db = DEFAULT_DB
    json: Json = False
    wide: Wide = False
    all_tables: Annotated[
        bool, Option("--all-tables", help="Also print the deeper tables of suites that have some, as --markdown does.")
    ] = False
    markdown: Annotated[bool, Option("--markdown", help="Print the report as Markdown.")] = False
    html: Annotated[Path | None, Option("--html", metavar="FILE", help="Write one HTML page instead.")] = None
    edits: Annotated[
        Literal["1", "2", "3+"] | None, Option("--edits", help="Only attempts with this number of edit blocks.")
    ] = None
    gates: GateOptions


def report(options: ReportOptions) -> None:
    """Show runs: rates with intervals, outcomes, timings, cost.

    Gates turn figures into an exit code: 1 if one fails.
    """
    import typer

    from runner.cli.gates import judged, publish
    from runner.console import say
    from runner.storage.runs import find_run
    from runner.storage.spill import waiting_note
    from runner.storage.store import Store
    from runner.suites import suite_named

    _check(options)
    with closing(Store.open(options.db, create=False)) as store:
        chosen = [find_run(store, name) for name in options.runs or ["latest"]]
        runs = list({run["run_id"]: run for run in chosen}.values())
        suites = [suite_named(run["suite"]) for run in runs]
        reports = [(run, suite.report(store, run, options.edits)) for run, suite in zip(runs, suites, strict=True)]
        results = judged(store, reports, options.gates) if options.gates.present else []
        if options.html:
            _write_page(store, reports, suites[0].cluster(runs[0]), options.html)
        else:
            _print(reports, results, options)
        for run in runs:
            if note := waiting_note(store.path, run["run_id"]):
                say(note)
    title = f"evals: gates of {', '.join(run['run_id'] for run in runs)}"
    if results and publish(results, title, options.gates):
        raise typer.Exit(1)


def _check(options: ReportOptions) -> None:
    """Raise InputError for options that do not fit together."""
    from runner.errors import InputError

    options.gates.check()
    if options.html and options.edits:
        raise InputError("--edits: a page shows all attempts; leave --edits or --html out")
    if options.html and (options.json or options.markdown):
        raise InputError("--html: takes the place of --json and --markdown; leave one of them out")
    if options.gates.github and options.json:
        raise InputError("--github: prints annotations to stdout, as --json its data; leave one of them out")


def _write_page(store: "Store", reports: "Judged", cluster: str, path: Path) -> None:
    from runner.console import format_bytes, say
    from runner.pages.rendering import write_page
    from runner.pages.run_page import page_of

    size = write_page(page_of(store, reports, cluster), path)
    say(f"{path}: {format_bytes(size)}")


def _print(reports: "Judged", results: "Sequence[GateResult]", options: ReportOptions) -> None:
    """Print the reports; what stands in them is no command to GitHub."""
    from secrets import token_hex

    from runner.console import put, put_json, show
    from runner.document import markdown

    token = token_hex(16)
    if options.gates.github:
        put(f"::stop-commands::{token}\n")
    gates = {"gates": [asdict(result) for result in results]} if results else {}
    data = [{**report.data, **gates} for _, report in reports]
    if options.json:
        put_json(data if len(data) > 1 else data[0])
    for _, report in () if options.json else reports:
        if options.markdown:
            put(markdown(report.with_tables(all_tables=True)))
        else:
            show(report.with_tables(all_tables=options.all_tables), wide=options.wide)
    if options.gates.github:
        put(f"::{token}::\n")
