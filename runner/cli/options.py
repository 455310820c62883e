"""Options that several commands share; those of commands that ask models are in `runner/run/options.py`."""

from collections.abc import Sequence
from typing import Annotated

import typer

Run = Annotated[str, typer.Argument(help="A run's id, a prefix of one, or `latest`.")]
StoredRun = Annotated[str, typer.Option("--run-id", help="The run: an id, a prefix of one, or `latest`.")]
CaseId = Annotated[str, typer.Argument(help="The case's id.")]
Wires = Annotated[
    list[str] | None,
    typer.Option("--wire", help="A plug-in's wire, package.module:thing, to read its answers again; repeatable."),
]
METRICS = ("--metrics", "--metric", "-m")
Metrics = Annotated[list[str], typer.Option(*METRICS, help="Metrics, comma-separated; repeatable.")]


def metric_names(values: Sequence[str]) -> tuple[str, ...]:
    """Return the names that `--metrics` gives, each once. Raises InputError if there is none."""
    from runner.run.resolve import split_names

    return split_names(",".join(values), "--metrics")
