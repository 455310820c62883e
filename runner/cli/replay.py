"""`evals replay`: score a run's answers again with other algorithms or another parser; nobody is asked."""

from contextlib import closing
from typing import Annotated

import typer

from runner.cli.completion_run import replay_completion
from runner.cli.nextedit import show_reread
from runner.cli.options import DEFAULT_DB, Db, Json

_PARSER = "xml-tools-v2"


def replay(
    run_id: Annotated[str, typer.Option(help="The run: an id, a prefix of one, or `latest`.")],
    diff_apply: Annotated[
        str, typer.Option("--diff-apply", "--diff-apply-file", "--diff-edit-function", help="Diff algorithms.")
    ] = "v4",
    parser: Annotated[
        str, typer.Option("--parser", "--parsing-function", "--chains", help="The parser; chains of a completion run.")
    ] = _PARSER,
    from_stream: Annotated[
        bool, typer.Option("--from-stream", help="Read the answers again from their stored bytes, and check them.")
    ] = False,
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Score a run's stored answers with other algorithms; show what changed, answer by answer."""
    from runner.console import put_json, say, show
    from runner.report.comparisons import compare
    from runner.report.flips import as_data, as_told, flip_tables, reread_line
    from runner.report.summary import summarize
    from runner.report.tables import document
    from runner.run.resolve import choose_algorithms, choose_parser, split_names
    from runner.storage.runs import find_run, new_run_id, utc_now
    from runner.storage.store import Store
    from runner.suites.diff_edit.replay import Swap, replay_run, rereader_of

    with closing(Store.open(db, create=False)) as store:
        source = find_run(store, run_id)
        if source["suite"] == "completion":
            replay_completion(store, source, "" if parser == _PARSER else parser, as_json=json)
            return
        chosen = choose_algorithms(split_names(diff_apply, "--diff-apply"), say)
        parse = choose_parser(parser, say)
        if source["suite"] == "nextedit":
            show_reread(store, source, parse, chosen, as_json=json)
            return
        new_id = new_run_id()
        rereader = rereader_of(store, source) if from_stream else None
        count = replay_run(store, source, Swap(parse, chosen, rereader), new_id, utc_now())
        comparisons = compare(store, source, new_id)
        summary = summarize(store, find_run(store, new_id))
        if json:
            told = as_told(rereader) if rereader else None
            data = {"run_id": new_id, "answers": count, "reread": told, "comparisons": as_data(comparisons)}
            put_json({**data, "summary": summary})
        else:
            say(f"run {new_id}: {count} stored answers of {source['run_id']} scored again, 0 calls")
            show(document(summary))
            show(flip_tables(comparisons))
            if rereader:
                say(reread_line(rereader))
        if rereader and rereader.different:
            raise typer.Exit(1)
