"""`evals codrep`: which line does this one replace? Predictions, their score, the published ones, and training."""

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from runner.cli.codrep_run import run
from runner.cli.options import Json

if TYPE_CHECKING:
    from runner.suites.codrep.competition import Score
    from runner.suites.codrep.dataset import Dataset

app = typer.Typer(help="CodRep: which line of a file does a new line replace?", no_args_is_help=True)

VARIABLE = "EVALS_CODREP_DATASETS"

_DATASETS = "Dataset folders, parted by colons; may be given again."
# A list of paths, not of texts: a variable's value is parted at colons then, not at blanks.
Datasets = Annotated[
    list[Path] | None, typer.Option("--datasets", "-d", metavar="A:B", help=_DATASETS, envvar=VARIABLE)
]
Seed = Annotated[int, typer.Option(help="The seed of everything drawn.")]
Jobs = Annotated[int, typer.Option(min=1, help="Processes.")]


@app.command()
def predict(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A dataset folder, or its Tasks folder.")],
    sut: Annotated[str, typer.Option(help="Who predicts; an unknown name lists all.")] = "ranker",
    jobs: Jobs = 1,
    seed: Seed = 0,
    model: Annotated[Path | None, typer.Option(help="A model of `train`; the shipped one if not given.")] = None,
) -> None:
    """Print a line `<path> <line>` for each task."""
    _keep_to_one_core_each()
    from runner.console import put, say
    from runner.errors import InputError
    from runner.suites.codrep.dataset import open_dataset
    from runner.suites.codrep.predict import Choice, unscorable
    from runner.suites.codrep.predict import predict as predictions

    dataset = open_dataset(folder)
    for warning in unscorable(dataset):
        say(warning)
    bad: list[InputError] = []

    def tell(error: InputError) -> None:
        bad.append(error)
        say(str(error))

    for path, line in predictions(dataset, Choice(sut, seed, model), jobs=jobs, on_bad=tell):
        put(f"{path} {line}\n")
    if bad:
        raise InputError(f"{folder}: malformed tasks, left without a prediction: {len(bad)}")


# `-h` is the original's, too.
@app.command(context_settings={"help_option_names": ["-h", "--help"]})
def score(
    datasets: Datasets = None,
    strict: Annotated[bool, typer.Option("--strict", help="End at the first line that cannot be counted.")] = False,
    _verbose: Annotated[bool, typer.Option("-v", help="Accepted for the original's sake, without effect.")] = False,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Score the predictions `<path or task id> <line>` on stdin, as the competition did."""
    from runner.console import put, put_json, say
    from runner.errors import InputError
    from runner.input_files import limited_lines
    from runner.suites.codrep import competition

    # As the names of files are read: so a path that is no text finds its task.
    lines = (
        line.decode(sys.getfilesystemencoding(), "surrogateescape").replace("\r\n", "\n")
        for line in limited_lines(typer.get_binary_stream("stdin"), "standard input")
    )
    try:
        result = competition.score(lines, _chosen(datasets), strict=strict)
    except OSError as error:
        raise InputError(f"standard input: cannot be read ({error.strerror}); give lines of predictions") from None
    for bad in result.bad_lines:
        say(f"line {bad.number}: {bad.reason}")
    if json:
        put_json(_as_json(result, seed))
    else:
        put(competition.official_lines(result) + "\n")


@app.command()
def leaderboard(json: Json = False) -> None:
    """Print the published scores on Dataset5, and ours with how each was measured."""
    from dataclasses import asdict

    from runner.console import put, put_json
    from runner.suites.codrep.leaderboard import PUBLISHED, beside_ours
    from runner.suites.codrep.ranker.model import model_at

    card = model_at().card
    if json:
        put_json({"published": [asdict(entry) for entry in PUBLISHED], "ours": asdict(card)})
    else:
        put(beside_ours(card))


@app.command()
def train(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Dataset folders with solutions.")],
    out: Annotated[Path | None, typer.Option(help="Train on all of them and write the model to this file.")] = None,
    leave_one_out: Annotated[
        bool, typer.Option("--leave-one-out", help="Score each dataset by a model of the others.")
    ] = False,
    only: Annotated[list[str] | None, typer.Option(help="Leave out just this dataset; may be given again.")] = None,
    without: Annotated[list[str] | None, typer.Option(help="A group of features to do without.")] = None,
    trees: Annotated[int, typer.Option(min=1, help="Trees of each booster.")] = 200,
    seeds: Annotated[int, typer.Option(min=1, help="Boosters, whose mean is the model.")] = 4,
    every: Annotated[int, typer.Option(min=1, help="Use every n-th task.")] = 1,
    jobs: Jobs = 1,
    cache: Annotated[Path | None, typer.Option(help="A folder for what can be used again.")] = None,
) -> None:
    """Train the ranker (extra `train`), and measure it on datasets that it did not see."""
    _keep_to_one_core_each()
    from dataclasses import asdict, replace

    from runner.console import put_json, say
    from runner.errors import InputError
    from runner.suites.codrep.competition import loss_interval
    from runner.suites.codrep.dataset import open_datasets
    from runner.suites.codrep.ranker import train as training
    from runner.suites.codrep.ranker.model import Figure, save
    from runner.suites.codrep.ranker.table import GROUPS

    datasets = [replace(dataset, every=every) for dataset in open_datasets(folders)]
    held = [dataset for dataset in datasets if not only or dataset.name in only]
    _check_names("--without: no group", without or [], list(GROUPS))
    _check_names("--only: no dataset", only or [], [dataset.name for dataset in datasets])
    if not (out or leave_one_out or only):
        raise InputError("train: nothing to do; give --out FILE, --leave-one-out, or --only DATASET")
    if out is not None:
        _check_out(out)
    recipe = training.Recipe(trees, tuple(range(1, seeds + 1)), left_out=tuple(without or ()), jobs=jobs, cache=cache)
    figures: dict[str, Figure] = {}
    if leave_one_out or only:
        for row in training.leave_one_out(datasets, held, recipe, say):
            figures[row.name] = Figure(row.loss, *loss_interval(row), row.recall, row.tasks)
    if out is not None:
        model = training.train(datasets, recipe, say)
        dated = datetime.now(tz=UTC).date().isoformat()
        save(replace(model, card=replace(model.card, dated=dated, held_out=figures)), out)
    put_json({name: asdict(figure) for name, figure in figures.items()})


def _check_out(out: Path) -> None:
    """Refuse, before hours of training, a file that could not be written after them."""
    from runner.errors import InputError

    if not out.parent.is_dir():
        raise InputError(f"--out: there is no folder {out.parent}")
    if out.is_dir():
        raise InputError(f"--out: {out} is a folder; name a file")


def _check_names(what: str, given: list[str], known: list[str]) -> None:
    from runner.errors import InputError

    for name in given:
        if name not in known:
            raise InputError(f"{what} is called {name!r}; there are {', '.join(known)}")


def _keep_to_one_core_each() -> None:
    """Keep numpy's linear algebra from starting threads: our arrays are too small to be worth them."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _chosen(datasets: list[Path] | None) -> "tuple[Dataset, ...]":
    from runner.errors import InputError
    from runner.suites.codrep.dataset import find_datasets

    folders = [Path(name) for names in datasets or () for name in str(names).split(os.pathsep) if name]
    if not folders:
        raise InputError(f"no datasets: give -d A:B, or set {VARIABLE} to the dataset folders")
    return find_datasets(folders)


def _as_json(result: "Score", seed: int) -> dict[str, object]:
    from runner.suites.codrep.competition import RESAMPLES, histogram, loss_interval

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


app.command("run")(run)
