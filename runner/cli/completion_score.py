"""`evals completion score`: verdicts on answers that another program collected."""

import typer

from runner.suites.completion.collecting import CollectedOptions, judged_answers

Options = CollectedOptions


def score(options: CollectedOptions) -> None:
    """Judge answers that another program collected.

    Each answer is judged as it is, and repaired. They become a run of the database, which reports, compares, shows and
    replays them.
    """
    from runner.console import put_json, say, show
    from runner.storage.foreign import opened_whole
    from runner.storage.runs import find_run
    from runner.suites.completion.collected_run import put_collected, unjudged
    from runner.suites.completion.report import report
    from runner.suites.completion.verdict_rows import verdict_rows

    collected, judged = judged_answers(options)
    with opened_whole(options.db) as store:
        run_id = put_collected(store, collected, judged)
        result = report(store, find_run(store, run_id))
    if options.json:
        put_json({**result.data, "answers": verdict_rows(collected, judged)})
    else:
        show(result.document, wide=options.wide)
    missing = sum(map(unjudged, judged))
    if missing:
        say(f"run {run_id}: {missing} answers could not be judged; the same command judges these again")
        raise typer.Exit(3)
