"""`evals completion codev`: Codev-Bench's own files, asked, parsed, tested and scored as it did, beside our way."""

import os
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from runner.cli import options as opt

if TYPE_CHECKING:
    from runner.execution.isolation import Isolation, Weak
    from runner.execution.repository_judge import Judge
    from runner.suites.completion.codev.judging import JudgeOf

_PROMPTS = "Files prompts/*.jsonl, or folders of them; those of --codev-dir if not given."
_DIR = "The folder that has Source_Code_Copy and metadatas."
_PREDICTIONS = "Score these predictions/*.jsonl (a file, or a folder above such); ask nobody."
_INDENT = "No line may be indented less than the block."
_ALL = "Ask about every type of block; the original leaves WHILE, CATCH and others out."


def codev(
    prompts: Annotated[list[Path] | None, typer.Argument(metavar="[PROMPTS]...", help=_PROMPTS)] = None,
    sut: Annotated[str, typer.Option("--sut", "--model-ids", help="Models to ask, parted by commas.")] = "",
    predictions: Annotated[Path | None, typer.Option(metavar="PATH", help=_PREDICTIONS)] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where <scene>/predictions, results, scores go.")] = Path(
        "predicts"
    ),
    codev_dir: Annotated[Path | None, typer.Option(metavar="DIR", help=_DIR)] = None,
    check_unittest: Annotated[bool, typer.Option("--check-unittest", help="The tests must pass.")] = False,
    check_indent: Annotated[bool, typer.Option("--check-indent", help=_INDENT)] = False,
    check_cross_line: Annotated[
        bool, typer.Option("--check-cross-line", help="The response must stay within its line.")
    ] = False,
    check_empty: Annotated[bool, typer.Option("--check-empty", help="The response must be empty.")] = False,
    all_types: Annotated[bool, typer.Option("--all-types", help=_ALL)] = False,
    limit: Annotated[int | None, typer.Option("--limit", "--max-cases", min=1, help="Tasks of each file.")] = None,
    python: Annotated[
        str, typer.Option(help="The interpreter that runs tests; a repository's myenv if not given.")
    ] = "",
    workers: opt.Workers = 2,
    weak_sandbox: opt.WeakSandbox = False,
    provider: opt.Provider = "",
    base_url: opt.BaseUrl = "",
    insecure_http: opt.InsecureHttp = False,
    temperature: opt.Temperature = 0.0,
    max_tokens: opt.MaxTokens = 1024,
    seed: opt.Seed = 0,
    max_concurrency: opt.FewCalls = None,
    run_id: opt.RunId = "",
    resume: opt.Resume = "",
    budget: opt.Budget = None,
    prices: opt.PriceTable = None,
    db: opt.Db = opt.DEFAULT_DB,
    yes: opt.Yes = False,
    json: opt.Json = False,
    verbose: opt.Verbose = False,
) -> None:
    """Read Codev-Bench's prompts or predictions, and write predictions, results and scores as it did."""
    given: dict[str, Any] = dict(locals())
    from runner.console import put_json, refuse, show
    from runner.execution.isolation import Weak
    from runner.suites.completion.codev.program import CodevOptions, run_codev
    from runner.suites.completion.codev.report import as_json, document
    from runner.suites.completion.codev.rules import Checks

    checks = Checks(check_unittest, check_indent, check_cross_line, check_empty)
    given |= {"prompts": tuple(prompts or ()), "checks": checks}
    options = opt.asked_for(CodevOptions, given, suts="sut")
    # Where the truth stands beside the repositories.
    databases = (db.with_name(db.name + end) for end in ("", "-wal", "-shm"))
    folders = () if codev_dir is None else (codev_dir / "prompts",)
    read = () if predictions is None else (predictions,)
    hidden = (*options.prompts, *folders, *read, out, *databases)
    done = run_codev(options, _judges(python, hidden, Weak(weak_sandbox, yes)))
    for finding in done.findings:
        refuse(finding)
    if done.outcomes:
        put_json(as_json(done.outcomes)) if json else show(document(done.outcomes))
    raise typer.Exit(done.exit_code)


def _judges(python: str, hidden: tuple[Path, ...], weak: "Weak") -> "JudgeOf":
    """How the judge of a repository is made, whose tests do not see what is hidden; loads nothing before."""

    @cache
    def isolation() -> "Isolation":
        from runner.execution.isolation import permitted

        return permitted(weak)

    def judge_of(repo: Path, brought: Path | None) -> "Judge":
        import shutil

        from runner.execution.copies import target
        from runner.execution.repository_judge import Judge

        path = os.environ.get("PATH", os.defpath)
        chosen = python or (str(brought) if brought is not None else sys.executable)
        told = target(shutil.which(chosen, path=path) or chosen, path)
        return Judge(repo, told, isolation(), hidden=_hideable(hidden, [repo, *told.needed]))

    return judge_of


def _hideable(places: tuple[Path, ...], wanted: list[Path]) -> list[Path]:
    """The places that are there and hide nothing that is wanted, each of them outside the others and the wanted."""
    kept = [place.resolve() for place in wanted]
    for place in sorted({place.resolve() for place in places if place.exists()}):
        if not any(one.is_relative_to(place) or place.is_relative_to(one) for one in kept):
            kept.append(place)
    return kept[len(wanted) :]
