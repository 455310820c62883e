"""`evals codrep`: which line does this one replace? Predictions, their score, the published ones, and training."""

import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from runner.cli import codrep_run, codrep_train
from runner.cli.command import command, register
from runner.run.options import Json
from runner.suites.codrep.options import Jobs

if TYPE_CHECKING:
    from runner.suites.codrep.competition import Score
    from runner.suites.codrep.dataset import Dataset

app = typer.Typer(help="CodRep: which line of a file does a new line replace?", no_args_is_help=True)

VARIABLE = "EVALS_CODREP_DATASETS"

_DATASETS = "Dataset folders, separated by colons; may be repeated."
Seed = Annotated[int, Option("--seed", help="The seed of random draws.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictOptions:
    """The options of `evals codrep predict`."""

    folder: Annotated[Path, Argument(metavar="DIR", help="A dataset folder, or its Tasks folder.")]
    sut: Annotated[
        str, Option("--model-ids", "--sut", help="The predictor; an error for an unknown name lists them all.")
    ] = "ranker"
    jobs: Jobs = 1
    seed: Seed = 0
    model: Annotated[
        Path | None,
        Option("--model", help="A model file from `codrep train`. [default: the one that comes with evals]"),
    ] = None


def predict(options: PredictOptions) -> None:
    """Print a line `<path> <line>` for each task."""
    codrep_run.keep_to_one_core()
    from runner.console import put, say
    from runner.errors import InputError
    from runner.suites.codrep.dataset import open_dataset
    from runner.suites.codrep.predictors.predict import Choice, unscorable
    from runner.suites.codrep.predictors.predict import predict as predictions

    dataset = open_dataset(options.folder)
    for warning in unscorable(dataset):
        say(warning)
    bad: list[InputError] = []

    def note(error: InputError) -> None:
        bad.append(error)
        say(str(error))

    choice = Choice(options.sut, options.seed, options.model)
    for path, line in predictions(dataset, choice, jobs=options.jobs, on_bad=note):
        put(f"{path} {line}\n")
    if bad:
        raise InputError(f"{options.folder}: malformed tasks without a prediction: {len(bad)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOptions:
    """The options of `evals codrep score`; `verbose` is accepted because the original has it; it has no effect."""

    # A list of paths, not of texts: a variable's value is split at colons then, not at blanks.
    datasets: Annotated[
        list[Path] | None, Option("--datasets", "-d", metavar="A:B", help=_DATASETS, envvar=VARIABLE)
    ] = None
    strict: Annotated[bool, Option("--strict", help="Stop at the first line that cannot be counted.")] = False
    verbose: Annotated[bool, Option("-v", help="Accepted because the original has it; no effect.")] = False
    seed: Seed = 0
    json: Json = False


def score(options: ScoreOptions) -> None:
    """Score predictions on stdin, as the competition did.

    A prediction is a line `<path or task id> <line>`.
    """
    from runner.console import put, put_json, say
    from runner.errors import InputError
    from runner.input_files import limited_lines
    from runner.suites.codrep import competition

    # Decoded like file names, so that a path that is not valid text finds its task.
    lines = (
        line.decode(sys.getfilesystemencoding(), "surrogateescape").replace("\r\n", "\n")
        for line in limited_lines(typer.get_binary_stream("stdin"), "standard input")
    )
    try:
        result = competition.score(lines, _chosen(options.datasets), strict=options.strict)
    except OSError as error:
        raise InputError(f"standard input: cannot be read ({error.strerror}); give lines of predictions") from None
    for bad in result.bad_lines:
        say(f"line {bad.number}: {bad.reason}")
    if options.json:
        put_json(_as_json(result, options.seed))
    else:
        put(competition.official_lines(result) + "\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderboardOptions:
    """The options of `evals codrep leaderboard`."""

    json: Json = False


def leaderboard(options: LeaderboardOptions) -> None:
    """Print the published scores on Dataset5, and ours.

    States for each of ours how it was measured.
    """
    codrep_run.keep_to_one_core()
    from runner.console import put, put_json
    from runner.suites.codrep.leaderboard import PUBLISHED, beside_ours
    from runner.suites.codrep.ranker.model import model_at

    card = model_at().card
    if options.json:
        put_json({"published": [asdict(entry) for entry in PUBLISHED], "ours": asdict(card)})
    else:
        put(beside_ours(card))


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


register(app, "run", codrep_run.Options, codrep_run.run)
register(app, "predict", PredictOptions, predict)
# The original accepts `-h`, too.
app.command("score", context_settings={"help_option_names": ["-h", "--help"]})(command(ScoreOptions, score))
register(app, "leaderboard", LeaderboardOptions, leaderboard)
register(app, "train", codrep_train.Options, codrep_train.train)
