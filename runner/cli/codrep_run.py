"""`evals codrep run`: predictors and models are asked which line was replaced, in a run that the database keeps."""

import os
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer

from runner.cli import options as opt

_SUTS = "Who answers, parted by commas: predictors (ranker, formula, first, ...) and models such as openai/gpt-x."
_LIMIT = "Keep so many tasks, drawn by --sample-seed."
_WINDOW = "Tokens of a request; of a longer file the likeliest parts are shown."


def run(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Dataset folders with solutions.")],
    sut: Annotated[str, typer.Option("--sut", "--model-ids", help=_SUTS)] = "ranker",
    provider: Annotated[str, typer.Option(help="Read every id of a model as this provider's.")] = "",
    base_url: opt.BaseUrl = "",
    insecure_http: opt.InsecureHttp = False,
    limit: Annotated[int | None, typer.Option("--limit", "--max-cases", min=1, help=_LIMIT)] = None,
    sample_seed: Annotated[int, typer.Option(help="The seed of the draw of tasks.")] = 0,
    max_context: Annotated[int, typer.Option(min=1, help=_WINDOW)] = 8000,
    valid_attempts_per_case: opt.ValidAttempts = 1,
    max_attempts_per_case: opt.MostAttempts = None,
    prompts: Annotated[str, typer.Option("--prompts", help="Prompts or .md files.")] = "codrep/basic",
    parser: Annotated[str, typer.Option("--parser", help="The parser.")] = "line-number",
    parallel: opt.Parallel = False,
    max_concurrency: opt.Concurrency = None,
    temperature: opt.Temperature = 0.0,
    max_tokens: opt.MaxTokens = 8192,
    seed: Annotated[int, typer.Option(help="The seed, sent and used by simulated models and by random.")] = 0,
    thinking_budget: opt.ThinkingBudget = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Processes that predict, and choose what is shown.")] = 1,
    run_id: opt.RunId = "",
    resume: opt.Resume = "",
    name: opt.Name = "",
    note: opt.Note = "",
    first_byte_timeout: opt.FirstByteTimeout = 120.0,
    idle_timeout: opt.IdleTimeout = 60.0,
    total_timeout: opt.TotalTimeout = 900.0,
    budget: opt.Budget = None,
    prices: opt.PriceTable = None,
    rpm: opt.Rpm = None,
    tpm: opt.Tpm = None,
    db: opt.Db = opt.DEFAULT_DB,
    dry_run: opt.DryRun = False,
    yes: opt.Yes = False,
    json: opt.Json = False,
    verbose: opt.Verbose = False,
) -> None:
    """Ask which line was replaced until every task has its quota of valid answers; score and report them."""
    given: dict[str, Any] = dict(locals())
    # Our arrays are too small to be worth threads of numpy's linear algebra.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from runner.console import put_json, show
    from runner.storage.runs import find_run
    from runner.storage.store import Store
    from runner.suites.codrep.options import CodrepOptions
    from runner.suites.codrep.run import run_codrep
    from runner.suites.of_run import report_of

    given["folders"] = tuple(folders)
    done = run_codrep(opt.asked_for(CodrepOptions, given, suts="sut"))
    if done.run_id:
        with closing(Store.open(db)) as store:
            report = report_of(store, find_run(store, done.run_id))
            put_json(report.data) if json else show(report.document)
    raise typer.Exit(done.exit_code)
