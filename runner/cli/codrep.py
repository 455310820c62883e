"""`evals codrep`: which line does this one replace? Predictions, their score, the published ones, and training."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Option

from runner.cli import codrep_run, codrep_score, codrep_train
from runner.cli.command import group_of_commands, register
from runner.run.options import Jobs, Json
from runner.suites.codrep.options import DatasetFolder

app = group_of_commands("CodRep: which line of a file does a new line replace?")


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictOptions:
    """The options of `evals codrep predict`."""

    folder: DatasetFolder
    sut: Annotated[
        str, Option("--model-ids", "--sut", help="The predictor; an error for an unknown name lists them all.")
    ] = "ranker"
    jobs: Jobs = 1
    seed: codrep_score.Seed = 0
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
class LeaderboardOptions:
    """The options of `evals codrep leaderboard`."""

    json: Json = False


def leaderboard(options: LeaderboardOptions) -> None:
    """Print the published scores on Dataset5 and Dataset4, and ours.

    States for each of ours how it was measured.
    """
    codrep_run.keep_to_one_core()
    from runner.console import put, put_json
    from runner.suites.codrep import leaderboard as published

    card, digest = published.shipped()
    if options.json:
        put_json(published.leaderboard_data(card, digest))
    else:
        put(published.leaderboard(card, digest))


register(app, "run", codrep_run.Options, codrep_run.run)
register(app, "predict", PredictOptions, predict)
# The original accepts `-h`, too.
register(app, "score", codrep_score.CodrepScoreOptions, codrep_score.score, help_names=("-h", "--help"))
register(app, "leaderboard", LeaderboardOptions, leaderboard)
register(app, "train", codrep_train.CodrepTrainOptions, codrep_train.train)
