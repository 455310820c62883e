"""`evals replay`: score a run's answers again with other algorithms or another parser; no model is asked."""

from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from typing import Annotated

import typer
from typer import Option

from runner.cli.options import Wires
from runner.run.options import (
    ALONE,
    DEFAULT_DB,
    DIFF_APPLY,
    PARSER,
    ComputingOptions,
    Db,
    Json,
    WeakSandbox,
    Wide,
    YesWeak,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayCommandOptions:
    """The options of `evals replay`."""

    run_id: Annotated[
        str,
        Option("--run-id", "--replay-run-id", help="The run: its id, a prefix of the id, or `latest`."),
    ]
    diff_apply: Annotated[
        str,
        Option(
            *DIFF_APPLY,
            help="Diff algorithms, comma-separated. [default: those of the run]",
        ),
    ] = ""
    parser: Annotated[
        str,
        Option(
            *PARSER,
            "--chains",
            help="The parser, or the parse chains of completions. [default: that of the run]",
        ),
    ] = ""
    from_stream: Annotated[
        bool, Option("--from-stream", help="Read the answers again from their stored bytes, and compare the results.")
    ] = False
    edit_tool: Annotated[
        str,
        Option(
            "--edit-tool", help="The foreign edit tools of the run, exec:CMD, comma-separated: no record starts them."
        ),
    ] = ""
    computing: ComputingOptions = ALONE
    weak_sandbox: WeakSandbox = False
    yes: YesWeak = False
    wire: Wires = None
    db: Db = DEFAULT_DB
    json: Json = False
    verbose: Annotated[bool, Option("--verbose", "-v", help="Print a line for each scoring.")] = False
    wide: Wide = False


def replay(options: ReplayCommandOptions) -> None:
    """Score a run's stored answers again; no model is asked.

    Other algorithms or another parser give a new run; what is not named stays as in the run that is replayed. The
    report shows which answers changed, for each model and prompt.
    """
    from runner.console import put_json, say, show, show_lines
    from runner.execution.isolation import Weak
    from runner.report.comparisons import compare
    from runner.report.flips import as_data, as_json_counts, flip_tables, reread_line
    from runner.run.replay import replay_run, scoring_lines
    from runner.run.resolve import split_names
    from runner.run.suite import ReplayOptions
    from runner.storage.runs import find_run
    from runner.storage.store import Store
    from runner.suites import suite_named

    with closing(Store.open(options.db, create=False)) as store:
        source = find_run(store, options.run_id)
        suite = suite_named(source["suite"])
        choice = ReplayOptions(
            options.parser,
            options.diff_apply,
            options.from_stream,
            tuple(options.wire or ()),
            edit_tools=split_names(options.edit_tool, "--edit-tool") if options.edit_tool else (),
            weak=Weak(options.weak_sandbox, options.yes),
            computing=options.computing,
        )
        replayed = replay_run(suite, store, source, choice, say)
        if options.verbose:
            _print_scorings(scoring_lines(store, replayed.run_id), with_json=options.json)
        comparisons = compare(store, source, replayed.run_id, suite.cluster(source))
        report = suite.report(store, find_run(store, replayed.run_id), None)
        rereader = replayed.rereader
        if options.json:
            put_json(
                {
                    "run_id": replayed.run_id,
                    "answers": replayed.answers,
                    "judged": replayed.judged,
                    "reread": as_json_counts(rereader) if rereader else None,
                    "comparisons": as_data(comparisons),
                    "summary": report.data,
                }
            )
        else:
            say(f"run {replayed.run_id}: {replayed.answers} stored answers of {source['run_id']} scored again, 0 calls")
            show(report.document, wide=options.wide)
            show(flip_tables(comparisons), wide=options.wide)
            if rereader:
                show_lines([reread_line(rereader)])
        if rereader and rereader.different:
            raise typer.Exit(1)


def _print_scorings(lines: Iterable[str], *, with_json: bool) -> None:
    """Print a line for each scoring to stdout; to stderr where stdout is JSON."""
    from runner.console import say, show_lines

    if not with_json:
        show_lines(lines)
        return
    for line in lines:
        say(line)
