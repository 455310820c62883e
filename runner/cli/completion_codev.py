"""`evals completion codev`: Codev-Bench's own files, asked, parsed, tested and scored as it did, beside our way."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from runner.cli.options import DEFAULT_DB, Db, Json

if TYPE_CHECKING:
    from runner.compat.codev.judging import JudgeOf
    from runner.suites.completion.judge import Judge

_PROMPTS = "Files prompts/*.jsonl, or folders of them; those of --codev-dir if not given."
_DIR = "The folder that has Source_Code_Copy and metadatas."
_PREDICTIONS = "Score these predictions/*.jsonl (a file, or a folder above such); ask nobody."
_ALL = "Ask about every type of block; the original leaves WHILE, CATCH and others out."
_WEAK = "Go on where commands cannot be shut in: tests then run with all that you may do."


def codev(
    prompts: Annotated[list[Path] | None, typer.Argument(metavar="[PROMPTS]...", help=_PROMPTS)] = None,
    sut: Annotated[str, typer.Option("--sut", "--model-ids", help="Models to ask, parted by commas.")] = "",
    predictions: Annotated[Path | None, typer.Option(metavar="PATH", help=_PREDICTIONS)] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where <scene>/predictions, results, scores go.")] = Path(
        "predicts"
    ),
    codev_dir: Annotated[Path | None, typer.Option(metavar="DIR", help=_DIR)] = None,
    check_unittest: Annotated[bool, typer.Option("--check-unittest", help="The tests must pass.")] = False,
    check_indent: Annotated[
        bool, typer.Option("--check-indent", help="No line may be indented less than the block.")
    ] = False,
    check_cross_line: Annotated[
        bool, typer.Option("--check-cross-line", help="The response must stay within its line.")
    ] = False,
    check_empty: Annotated[bool, typer.Option("--check-empty", help="The response must be empty.")] = False,
    all_types: Annotated[bool, typer.Option("--all-types", help=_ALL)] = False,
    limit: Annotated[int | None, typer.Option("--limit", "--max-cases", min=1, help="Tasks of each file.")] = None,
    python: Annotated[
        str, typer.Option(help="The interpreter that runs tests; a repository's myenv if not given.")
    ] = "",
    workers: Annotated[int, typer.Option("--workers", "-j", min=1, help="Test runs at once.")] = 2,
    weak_sandbox: Annotated[bool, typer.Option("--weak-sandbox", help=_WEAK)] = False,
    provider: Annotated[str, typer.Option(help="Read every id as this provider's.")] = "",
    base_url: Annotated[str, typer.Option(help="Where an OpenAI-compatible server answers.")] = "",
    temperature: Annotated[float, typer.Option(min=0, help="Sampling temperature.")] = 0.0,
    max_tokens: Annotated[int, typer.Option(min=1, help="The longest answer; always sent.")] = 1024,
    seed: Annotated[int, typer.Option(help="The seed, sent and used by simulated models.")] = 0,
    max_concurrency: Annotated[int, typer.Option(min=1, help="Calls at once.")] = 4,
    run_id: Annotated[str, typer.Option(help="Create this run, or go on with it.")] = "",
    resume: Annotated[str, typer.Option(help="Go on with a run: its id, or `latest`.")] = "",
    budget: Annotated[float | None, typer.Option(min=0, help="The most that the run may cost, in USD.")] = None,
    prices: Annotated[Path | None, typer.Option(help="A price table in place of the snapshot.")] = None,
    db: Db = DEFAULT_DB,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before a paid run.")] = False,
    json: Json = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="A line per attempt.")] = False,
) -> None:
    """Read Codev-Bench's prompts or predictions, and write predictions, results and scores as it did."""
    from runner.compat.codev.program import CodevOptions, run_codev
    from runner.compat.codev.rules import Checks
    from runner.console import put_json, say, show
    from runner.report.codev import as_json, document

    options = CodevOptions(
        out=out,
        db=db,
        prompts=tuple(prompts or ()),
        suts=sut,
        predictions=predictions,
        codev_dir=codev_dir,
        checks=Checks(check_unittest, check_indent, check_cross_line, check_empty),
        all_types=all_types,
        workers=workers,
        provider=provider,
        base_url=base_url,
        temperature=temperature,
        max_tokens=max_tokens,
        seed=seed,
        slots=max_concurrency,
        limit=limit,
        run_id=run_id,
        resume=resume,
        budget_usd=budget,
        prices=prices,
        yes=yes,
        quiet=json,
        verbose=verbose,
    )
    # Where the truth stands beside the repositories.
    databases = (db.with_name(db.name + end) for end in ("", "-wal", "-shm"))
    folders = () if codev_dir is None else (codev_dir / "prompts",)
    read = () if predictions is None else (predictions,)
    hidden = (*options.prompts, *folders, *read, out, *databases)
    done = run_codev(options, _judges(python, hidden, weak=weak_sandbox))
    for finding in done.findings:
        say("evals: " + finding.replace("\r", "\\r").replace("\n", "\\n"))
    if done.outcomes:
        put_json(as_json(done.outcomes)) if json else show(document(done.outcomes))
    raise typer.Exit(done.exit_code)


def _judges(python: str, hidden: tuple[Path, ...], *, weak: bool) -> "JudgeOf":
    """How the judge of a repository is made, whose tests do not see what is hidden; loads nothing before."""

    def judge_of(repo: Path, brought: Path | None) -> "Judge":
        import shutil

        from runner.errors import InputError
        from runner.isolation import strongest
        from runner.suites.completion.copies import target
        from runner.suites.completion.judge import Judge

        isolation = strongest()
        if not isolation.whole and not weak:
            raise InputError(
                "this machine permits no namespaces and no bound on processes; use another, or give --weak-sandbox"
            )
        path = os.environ.get("PATH", os.defpath)
        chosen = python or (str(brought) if brought is not None else sys.executable)
        told = target(shutil.which(chosen, path=path) or chosen, path)
        return Judge(repo, told, isolation, hidden=_hideable(hidden, [repo, *told.needed]))

    return judge_of


def _hideable(places: tuple[Path, ...], wanted: list[Path]) -> list[Path]:
    """The places that are there and hide nothing that is wanted, each of them outside the others and the wanted."""
    kept = [place.resolve() for place in wanted]
    for place in sorted({place.resolve() for place in places if place.exists()}):
        if not any(one.is_relative_to(place) or place.is_relative_to(one) for one in kept):
            kept.append(place)
    return kept[len(wanted) :]
