"""`evals codrep run`: predictors and models are asked which line was replaced, in a run that the database keeps."""

import os
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer

from runner.cli.options import DEFAULT_DB, Db, Json

_SUTS = "Who answers, parted by commas: predictors (ranker, formula, first, ...) and models such as openai/gpt-x."
_LIMIT = "Keep so many tasks, drawn by --sample-seed."
_WINDOW = "Tokens of a request; of a longer file the likeliest parts are shown."
# Options that the plan calls otherwise.
_FIELDS = {
    "sut": "suts",
    "valid_attempts_per_case": "quota",
    "max_attempts_per_case": "cap",
    "budget": "budget_usd",
    "json": "quiet",
}
_DEADLINES = ("first_byte_timeout", "idle_timeout", "total_timeout")


def run(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Dataset folders with solutions.")],
    sut: Annotated[str, typer.Option("--sut", "--model-ids", help=_SUTS)] = "ranker",
    provider: Annotated[str, typer.Option(help="Read every id of a model as this provider's.")] = "",
    base_url: Annotated[str, typer.Option(help="Where an OpenAI-compatible server answers.")] = "",
    limit: Annotated[int | None, typer.Option("--limit", "--max-cases", min=1, help=_LIMIT)] = None,
    sample_seed: Annotated[int, typer.Option(help="The seed of the draw of tasks.")] = 0,
    max_context: Annotated[int, typer.Option(min=1, help=_WINDOW)] = 8000,
    valid_attempts_per_case: Annotated[int, typer.Option("--valid-attempts-per-case", "-n", help="The quota.")] = 1,
    max_attempts_per_case: Annotated[int | None, typer.Option(help="The cap; 10 times the quota if not given.")] = None,
    prompts: Annotated[str, typer.Option("--prompts", help="Prompts or .md files.")] = "codrep/basic",
    parser: Annotated[str, typer.Option("--parser", help="The parser.")] = "line-number",
    parallel: Annotated[bool, typer.Option("--parallel", help="Several attempts at once (80 if no N).")] = False,
    max_concurrency: Annotated[
        int | None, typer.Option("--max-concurrency", "--slots", help="At most so many attempts at once.")
    ] = None,
    temperature: Annotated[float, typer.Option(min=0, help="Sampling temperature.")] = 0.0,
    max_tokens: Annotated[int, typer.Option(min=1, help="The longest answer; always sent.")] = 8192,
    seed: Annotated[int, typer.Option(help="The seed, sent and used by simulated models and by random.")] = 0,
    thinking_budget: Annotated[int, typer.Option(min=0, help="Tokens to think with.")] = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Processes that predict, and choose what is shown.")] = 1,
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
    json: Json = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="A line per attempt.")] = False,
) -> None:
    """Ask which line was replaced until every task has its quota of valid answers; score and report them."""
    given: dict[str, Any] = dict(locals())
    # Our arrays are too small to be worth threads of numpy's linear algebra.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from runner.ask import Deadlines
    from runner.console import put_json, show
    from runner.report.of_run import report_of
    from runner.runs import find_run
    from runner.store import Store
    from runner.suites.codrep.options import CodrepOptions
    from runner.suites.codrep.run import run_codrep

    deadlines = Deadlines(*(given.pop(name) for name in _DEADLINES))
    given["folders"] = tuple(folders)
    options = CodrepOptions(**{_FIELDS.get(name, name): value for name, value in given.items()}, deadlines=deadlines)
    done = run_codrep(options)
    if done.run_id:
        with closing(Store.open(db)) as store:
            report = report_of(store, find_run(store, done.run_id))
            put_json(report.data) if json else show(report.document)
    raise typer.Exit(done.exit_code)
