"""`evals edit`: files to be changed as an instruction says, judged by the problems' tests."""

import os
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer

from runner.cli import options as opt
from runner.cli.planted import show_planted

app = typer.Typer(help="Edits by instruction, judged by tests.", no_args_is_help=True)

_FILE = "Problems, one JSON object a line: problem, lang, origin, instruction, reference, test."
_MODELS = "Models to ask, parted by commas, such as openai/gpt-x or sim/careful (also: --model-ids)."
_PROMPTS = "Prompts or .md files; one that names replace_in_file is answered by a diff, any other by the whole file."
_COMMAND = "How another language's tests are run: js='node {test}'; may be repeated."

File = Annotated[Path, typer.Argument(metavar="FILE", help=_FILE)]
Commands = Annotated[list[str] | None, typer.Option("--command", metavar="LANG=WORDS", help=_COMMAND)]
Timeout = Annotated[float, typer.Option(min=0.1, help="Seconds for one run of a test.")]


@app.command()
def run(
    file: File,
    sut: Annotated[str, typer.Option("--sut", "--model-ids", help=_MODELS)] = "",
    provider: opt.Provider = "",
    base_url: opt.BaseUrl = "",
    max_problems: Annotated[
        int | None, typer.Option("--max-problems", "--max-cases", min=1, help="Keep the first so many.")
    ] = None,
    samples: Annotated[
        int, typer.Option("--samples", "--valid-attempts-per-case", "-n", help="Valid answers wanted of each problem.")
    ] = 1,
    max_attempts_per_case: Annotated[
        int | None, typer.Option(help="The cap; 10 times the samples if not given.")
    ] = None,
    prompts: Annotated[str, typer.Option("--prompts", "--prompt", help=_PROMPTS)] = "edit/whole-file",
    parser: Annotated[str, typer.Option(help="The parser of answers that are calls.")] = "xml-tools-v2",
    diff_apply: Annotated[str, typer.Option(help="The diff algorithms of answers that are calls.")] = "v4",
    command: Commands = None,
    timeout: Timeout = 10.0,
    workers: opt.Workers = 2,
    weak_sandbox: opt.WeakSandbox = False,
    parallel: opt.Parallel = False,
    max_concurrency: opt.Concurrency = None,
    temperature: opt.Temperature = 0.0,
    max_tokens: opt.MaxTokens = 8192,
    seed: opt.Seed = 0,
    thinking_budget: opt.ThinkingBudget = 0,
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
    """Ask models for edits until every problem has its samples, run the tests, and report what passed."""
    given: dict[str, Any] = dict(locals())
    from runner.execution.script_judge import search_path
    from runner.suites.edit.plan import EditOptions
    from runner.suites.edit.run import BadProblemsError, run_edit

    given |= {"command": tuple(command or ()), "path": search_path(os.environ)}
    options = opt.asked_for(EditOptions, given, quota="samples", model_ids="sut")
    try:
        done = run_edit(options)
    except BadProblemsError as error:
        _tell(error.findings)
        raise typer.Exit(2) from None
    if done.run_id:
        show_planted(db, done.run_id, done.planted, as_json=json)
    raise typer.Exit(done.exit_code)


@app.command()
def check(
    file: File,
    command: Commands = None,
    timeout: Timeout = 10.0,
    workers: opt.Workers = 2,
    weak_sandbox: opt.WeakSandbox = False,
    json: opt.Json = False,
) -> None:
    """Prove problems: the test fails behind the origin and passes behind the reference; exit 2 if one does not."""
    from runner.console import put_json, say
    from runner.execution.script_judge import search_path
    from runner.suites.edit.check import checked
    from runner.suites.edit.run import judge_for

    judge = judge_for(search_path(os.environ), tuple(command or ()), timeout, (file,), weak=weak_sandbox)
    problems, findings = checked(file, judge, workers)
    if json:
        put_json({"problems": len(problems), "findings": findings})
    else:
        _tell(findings)
        say(f"{len(problems)} problems can be read, {len(findings)} findings in {file}")
    if findings:
        raise typer.Exit(2)


@app.command()
def export(
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="A folder for problems.jsonl and predictions.jsonl.")
    ],
    run_id: Annotated[str, typer.Option(help="The run: an id, a prefix of one, or `latest`.")] = "latest",
    db: opt.Db = opt.DEFAULT_DB,
) -> None:
    """Write a run's problems and judged answers as `evals study DIR` reads them."""
    from runner.console import say
    from runner.storage.runs import find_run
    from runner.storage.store import Store
    from runner.suites.edit.export import export_run, write_export

    with closing(Store.open(db, create=False)) as store:
        exported = export_run(store, find_run(store, run_id))
    write_export(exported, out)
    left_out = "".join(f", {count} {outcome} left out" for outcome, count in exported.left_out.items())
    say(f"{len(exported.problems)} problems, {len(exported.predictions)} answers in {out}{left_out}")


def _tell(findings: tuple[str, ...]) -> None:
    from runner.console import refuse

    for finding in findings:
        refuse(finding)
