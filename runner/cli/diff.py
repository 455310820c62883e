"""`evals diff`: ask models for edits until every case has its quota of valid attempts, apply and score them."""

from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer

from runner.cli import options as opt

_MODELS = "Models to ask, parted by commas, such as openai/gpt-x or sim/careful (also: --sut)."


def diff(
    model_ids: Annotated[str, typer.Option("--model-ids", "--sut", help=_MODELS)] = "",
    provider: opt.Provider = "",
    base_url: opt.BaseUrl = "",
    cases: Annotated[Path, typer.Option("--cases", "--test-path", help="A folder of cases.")] = Path("cases/diff_edit"),
    max_cases: Annotated[int | None, typer.Option(min=1, help="Keep the first so many cases.")] = None,
    max_context: Annotated[int | None, typer.Option(min=1, help="Skip cases of more prompt tokens.")] = None,
    valid_attempts_per_case: opt.ValidAttempts = 1,
    max_attempts_per_case: opt.MostAttempts = None,
    prompts: Annotated[str, typer.Option("--prompts", "--system-prompt-name", help="Prompts or .md files.")] = "basic",
    parser: Annotated[str, typer.Option("--parser", "--parsing-function", help="The parser.")] = "xml-tools-v2",
    diff_apply: Annotated[
        str, typer.Option("--diff-apply", "--diff-edit-function", "--diff-apply-file", help="Diff algorithms.")
    ] = "v4",
    parallel: opt.Parallel = False,
    max_concurrency: opt.Concurrency = None,
    temperature: opt.Temperature = 0.0,
    max_tokens: opt.MaxTokens = 8192,
    seed: opt.Seed = 0,
    thinking_budget: opt.ThinkingBudget = 0,
    validity: Annotated[str, typer.Option(help="strict, or cline for the original's rule.")] = "strict",
    recorded: Annotated[bool, typer.Option("--replay", help="Score each case's recorded message; ask nobody.")] = False,
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
    save_locally: Annotated[Path | None, typer.Option(help="Also write one JSON file per case here.")] = None,
    json: opt.Json = False,
    verbose: opt.Verbose = False,
) -> None:
    """Ask models for edits until every case has its quota of valid attempts; apply, score and report them."""
    given: dict[str, Any] = dict(locals())
    from runner.console import put_json, show
    from runner.report.summary import summarize
    from runner.report.tables import document
    from runner.storage.runs import find_run
    from runner.storage.store import Store
    from runner.suites.diff_edit.plan import DiffOptions
    from runner.suites.diff_edit.run import run_diff

    done = run_diff(opt.asked_for(DiffOptions, given))
    if done.run_id:
        with closing(Store.open(db)) as store:
            summary = summarize(store, find_run(store, done.run_id))
            put_json(summary) if json else show(document(summary))
    raise typer.Exit(done.exit_code)
