"""`evals codrep`: which line does this one replace? Predictions, their score, and the published ones beside ours."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from runner.cli.options import Json

if TYPE_CHECKING:
    from runner.suites.codrep.dataset import Dataset
    from runner.suites.codrep.scoring import Score

app = typer.Typer(help="CodRep: which line of a file does a new line replace?", no_args_is_help=True)

VARIABLE = "EVALS_CODREP_DATASETS"

Datasets = Annotated[
    str, typer.Option("--datasets", "-d", metavar="A:B", help="Dataset folders, parted by colons.", envvar=VARIABLE)
]
Seed = Annotated[int, typer.Option(help="The seed of everything drawn.")]


@app.command()
def predict(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A dataset folder, or its Tasks folder.")],
    sut: Annotated[str, typer.Option(help="Who predicts.")] = "first",
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    seed: Seed = 0,
) -> None:
    """Print a line `<path> <line>` for each task."""
    from runner.console import put
    from runner.suites.codrep.dataset import open_dataset
    from runner.suites.codrep.predict import predict as predictions

    for path, line in predictions(open_dataset(folder), sut, jobs=jobs, seed=seed):
        put(f"{path} {line}\n")


@app.command()
def score(
    datasets: Datasets = "",
    strict: Annotated[bool, typer.Option("--strict", help="End at the first line that cannot be counted.")] = False,
    _verbose: Annotated[bool, typer.Option("-v", help="Accepted for the original's sake, without effect.")] = False,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Score the predictions `<path or task id> <line>` on stdin, as the competition did."""
    from runner.console import put, put_json, say
    from runner.suites.codrep import scoring

    with typer.get_text_stream("stdin") as lines:
        result = scoring.score(lines, _chosen(datasets), strict=strict)
    for bad in result.bad_lines:
        say(f"line {bad.number}: {bad.reason}")
    if json:
        put_json(_as_json(result, seed))
    else:
        put(scoring.official_lines(result) + "\n")


def _chosen(datasets: str) -> "tuple[Dataset, ...]":
    from runner.errors import InputError
    from runner.suites.codrep.dataset import open_datasets

    folders = [Path(name) for name in datasets.split(os.pathsep) if name]
    if not folders:
        raise InputError(f"no datasets: give -d A:B, or set {VARIABLE} to the dataset folders")
    return open_datasets(folders)


def _as_json(result: "Score", seed: int) -> dict[str, object]:
    from runner.suites.codrep.scoring import RESAMPLES, histogram, loss_interval

    rows = [
        {
            "dataset": row.name,
            "tasks": row.tasks,
            "missing": row.distances.count(None),
            "average_line_error": row.loss,
            "average_line_error_95": loss_interval(row, seed),
            "recall_at_1": row.recall,
            "distances": histogram(row),
        }
        for row in (*result.rows, result.total)
    ]
    bad = [{"line": bad.number, "reason": bad.reason} for bad in result.bad_lines]
    return {"datasets": rows[:-1], "total": rows[-1], "bad_lines": bad, "bootstrap": {"draws": RESAMPLES, "seed": seed}}
