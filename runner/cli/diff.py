"""`evals diff`: ask models for edits until every case has its quota of valid attempts, apply and score them."""

from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer

from runner.cli.options import (
    DEFAULT_DB,
    BaseUrl,
    Budget,
    Db,
    DryRun,
    FirstByteTimeout,
    IdleTimeout,
    Json,
    MaxTokens,
    MostAttempts,
    Name,
    Note,
    Parallel,
    PriceTable,
    Provider,
    Resume,
    Rpm,
    RunId,
    Temperature,
    ThinkingBudget,
    TotalTimeout,
    Tpm,
    ValidAttempts,
    Verbose,
    Yes,
)

_MODELS = "Models to ask, parted by commas, such as openai/gpt-x or sim/careful (also: --sut)."
# Options that the plan calls otherwise.
_FIELDS = {
    "valid_attempts_per_case": "quota",
    "max_attempts_per_case": "cap",
    "budget": "budget_usd",
    "json": "quiet",
}
_DEADLINES = ("first_byte_timeout", "idle_timeout", "total_timeout")


def diff(
    model_ids: Annotated[str, typer.Option("--model-ids", "--sut", help=_MODELS)] = "",
    provider: Provider = "",
    base_url: BaseUrl = "",
    cases: Annotated[Path, typer.Option("--cases", "--test-path", help="A folder of cases.")] = Path("cases/diff_edit"),
    max_cases: Annotated[int | None, typer.Option(min=1, help="Keep the first so many cases.")] = None,
    max_context: Annotated[int | None, typer.Option(min=1, help="Skip cases of more prompt tokens.")] = None,
    valid_attempts_per_case: ValidAttempts = 1,
    max_attempts_per_case: MostAttempts = None,
    prompts: Annotated[str, typer.Option("--prompts", "--system-prompt-name", help="Prompts or .md files.")] = "basic",
    parser: Annotated[str, typer.Option("--parser", "--parsing-function", help="The parser.")] = "xml-tools-v2",
    diff_apply: Annotated[
        str, typer.Option("--diff-apply", "--diff-edit-function", "--diff-apply-file", help="Diff algorithms.")
    ] = "v4",
    parallel: Parallel = False,
    max_concurrency: Annotated[int | None, typer.Option(help="At most so many attempts at once.")] = None,
    temperature: Temperature = 0.0,
    max_tokens: MaxTokens = 8192,
    seed: Annotated[int, typer.Option(help="The seed, sent and used by simulated models.")] = 0,
    thinking_budget: ThinkingBudget = 0,
    validity: Annotated[str, typer.Option(help="strict, or cline for the original's rule.")] = "strict",
    recorded: Annotated[bool, typer.Option("--replay", help="Score each case's recorded message; ask nobody.")] = False,
    run_id: RunId = "",
    resume: Resume = "",
    name: Name = "",
    note: Note = "",
    first_byte_timeout: FirstByteTimeout = 120.0,
    idle_timeout: IdleTimeout = 60.0,
    total_timeout: TotalTimeout = 900.0,
    budget: Budget = None,
    prices: PriceTable = None,
    rpm: Rpm = None,
    tpm: Tpm = None,
    db: Db = DEFAULT_DB,
    dry_run: DryRun = False,
    yes: Yes = False,
    save_locally: Annotated[Path | None, typer.Option(help="Also write one JSON file per case here.")] = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Ask models for edits until every case has its quota of valid attempts; apply, score and report them."""
    given: dict[str, Any] = dict(locals())
    from runner.ask import Deadlines
    from runner.console import put_json, show
    from runner.report.summary import summarize
    from runner.report.tables import document
    from runner.runs import find_run
    from runner.store import Store
    from runner.suites.diff_edit.plan import DiffOptions
    from runner.suites.diff_edit.run import run_diff

    deadlines = Deadlines(*(given.pop(name) for name in _DEADLINES))
    options = DiffOptions(**{_FIELDS.get(name, name): value for name, value in given.items()}, deadlines=deadlines)
    done = run_diff(options)
    if done.run_id:
        with closing(Store.open(db)) as store:
            summary = summarize(store, find_run(store, done.run_id))
            put_json(summary) if json else show(document(summary))
    raise typer.Exit(done.exit_code)
