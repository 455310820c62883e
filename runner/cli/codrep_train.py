"""`evals codrep train`: train the ranker, and measure it on datasets that it did not see."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from runner.cli.codrep_run import keep_to_one_core
from runner.run.options import Jobs


@dataclass(frozen=True, slots=True, kw_only=True)
class CodrepTrainOptions:
    """The options of `evals codrep train`."""

    folders: Annotated[list[Path], Argument(metavar="DIR...", help="Dataset folders with solutions.")]
    out: Annotated[Path | None, Option("--out", help="Train on all datasets, and write the model to this file.")] = None
    leave_one_out: Annotated[bool, Option("--leave-one-out", help="Score each dataset with a model of the others.")] = (
        False
    )
    only: Annotated[
        list[str] | None, Option("--only", help="Score this dataset with a model of the others; may be repeated.")
    ] = None
    without: Annotated[
        list[str] | None, Option("--without", help="A group of features to leave out; may be repeated.")
    ] = None
    trees: Annotated[int, Option("--trees", min=1, help="The number of trees of each booster.")] = 200
    seeds: Annotated[int, Option("--seeds", min=1, help="The number of boosters; the model is their mean.")] = 4
    every: Annotated[int, Option("--every", min=1, help="Use only every n-th task.")] = 1
    jobs: Jobs = 1
    cache: Annotated[
        Path | None, Option("--cache", help="A folder for intermediate results that later trainings use again.")
    ] = None


def train(options: CodrepTrainOptions) -> None:
    """Train the ranker, and measure it on other datasets.

    Needs the extra `train`.
    """
    keep_to_one_core()
    from runner.console import put_json, say
    from runner.errors import InputError
    from runner.suites.codrep.competition import files_of, loss_interval
    from runner.suites.codrep.dataset import open_datasets
    from runner.suites.codrep.ranker.model import HeldOutLoss, save
    from runner.suites.codrep.ranker.table import GROUPS
    from runner.suites.codrep.training.leave_one_out import leave_one_out
    from runner.suites.codrep.training.recipe import Recipe
    from runner.suites.codrep.training.train import train as train_on

    only, without = options.only or [], options.without or []
    datasets = [replace(dataset, every=options.every) for dataset in open_datasets(options.folders)]
    held = [dataset for dataset in datasets if not only or dataset.name in only]
    _check_names("--without: no group", without, list(GROUPS))
    _check_names("--only: no dataset", only, [dataset.name for dataset in datasets])
    if not (options.out or options.leave_one_out or only):
        raise InputError("train: nothing to do; give --out FILE, --leave-one-out, or --only DATASET")
    if options.out is not None:
        _check_out(options.out)
    seeds = tuple(range(1, options.seeds + 1))
    recipe = Recipe(options.trees, seeds, left_out=tuple(without), jobs=options.jobs, cache=options.cache)
    figures: dict[str, HeldOutLoss] = {}
    if options.leave_one_out or only:
        for held_row, dataset in zip(leave_one_out(datasets, held, recipe, say), held, strict=True):
            row = replace(held_row, files=files_of(dataset))
            figures[row.name] = HeldOutLoss(row.loss, *loss_interval(row), row.recall, row.tasks)
    if options.out is not None:
        model = train_on(datasets, recipe, say)
        dated = datetime.now(tz=UTC).date().isoformat()
        save(replace(model, card=replace(model.card, dated=dated, held_out=figures)), options.out)
    put_json({name: asdict(figure) for name, figure in figures.items()})


def _check_out(out: Path) -> None:
    """Raise InputError for a file that could not be written after hours of training."""
    from runner.errors import InputError

    if not out.parent.is_dir():
        raise InputError(f"--out: there is no folder {out.parent}")
    if out.is_dir():
        raise InputError(f"--out: {out} is a folder; name a file")


def _check_names(what: str, names: Sequence[str], known: Sequence[str]) -> None:
    from runner.errors import InputError

    for name in names:
        if name not in known:
            raise InputError(f"{what} is called {name!r}; choose from {', '.join(known)}")
