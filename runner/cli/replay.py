"""`evals replay`: score a run's answers again with other algorithms or another parser; nobody is asked."""

from contextlib import closing
from typing import Annotated

import typer

from runner.cli.options import DEFAULT_DB, Db, Json


def replay(
    run_id: Annotated[str, typer.Option(help="The run: an id, a prefix of one, or `latest`.")],
    diff_apply: Annotated[
        str, typer.Option("--diff-apply", "--diff-apply-file", "--diff-edit-function", help="Diff algorithms.")
    ] = "v4",
    parser: Annotated[str, typer.Option("--parser", "--parsing-function", help="The parser.")] = "xml-tools-v2",
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Score a run's stored answers with other algorithms; show what changed, answer by answer."""
    from runner.choices import choose_algorithms, choose_parser, split_names
    from runner.console import put_json, say, show
    from runner.replay import compare, replay_run
    from runner.report.flips import as_data, flip_tables
    from runner.report.summary import summarize
    from runner.report.tables import document
    from runner.runs import find_run, new_run_id, utc_now
    from runner.store import Store

    chosen = choose_algorithms(split_names(diff_apply, "--diff-apply"), say)
    parse = choose_parser(parser, say)
    with closing(Store.open(db, create=False)) as store:
        source = find_run(store, run_id)
        new_id = new_run_id()
        count = replay_run(store, source, parse, chosen, new_id, utc_now())
        comparisons = compare(store, source, new_id)
        summary = summarize(store, find_run(store, new_id))
        if json:
            put_json({"run_id": new_id, "answers": count, "comparisons": as_data(comparisons), "summary": summary})
        else:
            say(f"run {new_id}: {count} stored answers of {source['run_id']} scored again, 0 calls")
            show(document(summary))
            show(flip_tables(comparisons))
