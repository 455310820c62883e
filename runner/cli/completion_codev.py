"""`evals completion codev`: Codev-Bench's own files, asked, parsed, tested and scored as it did, beside our way."""

from dataclasses import replace

import typer

from runner.cli.model_words import models_among
from runner.suites.completion.codev.options import CodevOptions

Options = CodevOptions


def codev(options: CodevOptions) -> None:
    """Run Codev-Bench on its own files.

    Reads its prompts or predictions, and writes predictions, results and scores in its format.
    """
    from runner.console import put_json, refuse, show
    from runner.suites.completion.codev.inputs import BadRowsError
    from runner.suites.completion.codev.program import run_codev
    from runner.suites.completion.codev.tables import as_json, document

    prompts, model_ids = models_among(options.prompts or [], options.model_ids)
    try:
        done = run_codev(replace(options, prompts=prompts, model_ids=model_ids))
    except BadRowsError as error:
        for finding in error.findings:
            refuse(finding)
        raise typer.Exit(2) from None
    if options.dry_run and options.json and done.preview is not None:
        put_json(done.preview.data)
    if done.outcomes:
        put_json(as_json(done.outcomes)) if options.json else show(document(done.outcomes), wide=options.wide)
    raise typer.Exit(done.exit_code)
