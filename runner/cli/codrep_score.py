"""`evals codrep score`: predictions on standard input, scored as the competition did."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from runner.run.options import Json

if TYPE_CHECKING:
    from runner.suites.codrep.competition import Score
    from runner.suites.codrep.dataset import CodrepDataset

VARIABLE = "EVALS_CODREP_DATASETS"

_DATASETS = "Dataset folders, separated by colons; may be repeated."
Seed = Annotated[int, Option("--seed", help="The seed of random draws.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class CodrepScoreOptions:
    """The options of `evals codrep score`; `verbose` is accepted because the original has it; it has no effect."""

    # A list of paths, not of texts: a variable's value is split at colons then, not at blanks.
    datasets: Annotated[
        list[Path] | None, Option("--datasets", "-d", metavar="A:B", help=_DATASETS, envvar=VARIABLE)
    ] = None
    strict: Annotated[bool, Option("--strict", help="Stop at the first line that cannot be counted.")] = False
    verbose: Annotated[bool, Option("-v", help="Accepted because the original has it; no effect.")] = False
    seed: Seed = 0
    json: Json = False


def score(options: CodrepScoreOptions) -> None:
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
        result = competition.score(lines, _chosen(options.datasets), strict=options.strict, by_file=options.json)
    except OSError as error:
        raise InputError(f"standard input: cannot be read ({error.strerror}); give lines of predictions") from None
    for bad in result.bad_lines:
        say(f"line {bad.number}: {bad.reason}")
    if options.json:
        put_json(_as_json(result, options.seed))
    else:
        put(competition.official_lines(result) + "\n")


def _chosen(datasets: list[Path] | None) -> "tuple[CodrepDataset, ...]":
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
