"""`evals diff`: ask models for edits until every case has its quota of valid attempts, apply and score them."""

from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer

from runner.cli.options import DEFAULT_DB, Db, Json

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
    provider: Annotated[str, typer.Option(help="Read every id as this provider's.")] = "",
    base_url: Annotated[str, typer.Option(help="Where an OpenAI-compatible server answers.")] = "",
    cases: Annotated[Path, typer.Option("--cases", "--test-path", help="A folder of cases.")] = Path("cases/diff_edit"),
    max_cases: Annotated[int | None, typer.Option(min=1, help="Keep the first so many cases.")] = None,
    max_context: Annotated[int | None, typer.Option(min=1, help="Skip cases of more prompt tokens.")] = None,
    valid_attempts_per_case: Annotated[int, typer.Option("--valid-attempts-per-case", "-n", help="The quota.")] = 1,
    max_attempts_per_case: Annotated[int | None, typer.Option(help="The cap; 10 times the quota if not given.")] = None,
    prompts: Annotated[str, typer.Option("--prompts", "--system-prompt-name", help="Prompts or .md files.")] = "basic",
    parser: Annotated[str, typer.Option("--parser", "--parsing-function", help="The parser.")] = "xml-tools-v2",
    diff_apply: Annotated[
        str, typer.Option("--diff-apply", "--diff-edit-function", "--diff-apply-file", help="Diff algorithms.")
    ] = "v4",
    parallel: Annotated[bool, typer.Option("--parallel", help="Several attempts at once (80 if no N).")] = False,
    max_concurrency: Annotated[int | None, typer.Option(help="At most so many attempts at once.")] = None,
    temperature: Annotated[float, typer.Option(min=0, help="Sampling temperature.")] = 0.0,
    max_tokens: Annotated[int, typer.Option(min=1, help="The longest answer; always sent.")] = 8192,
    seed: Annotated[int, typer.Option(help="The seed, sent and used by simulated models.")] = 0,
    thinking_budget: Annotated[int, typer.Option(min=0, help="Tokens to think with.")] = 0,
    validity: Annotated[str, typer.Option(help="strict, or cline for the original's rule.")] = "strict",
    recorded: Annotated[bool, typer.Option("--replay", help="Score each case's recorded message; ask nobody.")] = False,
    run_id: Annotated[str, typer.Option(help="Create this run, or go on with it.")] = "",
    resume: Annotated[str, typer.Option(help="Go on with a run: its id, or `latest`.")] = "",
    name: Annotated[str, typer.Option(help="A name for the run.")] = "",
    note: Annotated[str, typer.Option(help="A note on the run.")] = "",
    first_byte_timeout: Annotated[float, typer.Option(min=0.001, help="Seconds until the first byte.")] = 120.0,
    idle_timeout: Annotated[float, typer.Option(min=0.001, help="Seconds between two pieces.")] = 60.0,
    total_timeout: Annotated[float, typer.Option(min=0.001, help="Seconds for one call.")] = 900.0,
    budget: Annotated[float | None, typer.Option(min=0, help="The most that the run may cost, in USD.")] = None,
    prices: Annotated[Path | None, typer.Option(help="A price table in place of the snapshot.")] = None,
    rpm: Annotated[float | None, typer.Option(min=0.001, help="At most so many requests a minute.")] = None,
    tpm: Annotated[float | None, typer.Option(min=1, help="At most so many tokens a minute.")] = None,
    db: Db = DEFAULT_DB,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan, ask nobody.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before a paid run.")] = False,
    save_locally: Annotated[Path | None, typer.Option(help="Also write one JSON file per case here.")] = None,
    json: Json = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="A line per attempt.")] = False,
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
