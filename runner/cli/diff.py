"""`evals diff`: ask models for edits; apply, score and report them."""

from runner.cli.running import run_suite
from runner.suites.diff_edit.options import DiffOptions


def diff(options: DiffOptions) -> None:
    """Ask models for edits; apply, score and report them.

    Each case is asked again until it has its quota of valid attempts.
    """
    if not options.open_pages or options.dry_run:
        run_suite("diff_edit", options)
        return
    import sys

    import typer

    from runner.console import say
    from runner.view.serving import viewed

    with viewed(options.db) as wait:
        try:
            run_suite("diff_edit", options)
        except typer.Exit:
            # Without a terminal nobody could end them: they end with the run.
            if sys.stdin.isatty():
                say("the pages stay open; Ctrl-C ends them")
                wait()
            raise
