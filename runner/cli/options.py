"""Options that several commands share; those of commands that ask models are in `runner/run/options.py`."""

from collections.abc import Sequence
from typing import Annotated

import typer

Run = Annotated[str, typer.Argument(help="The run: its id, a prefix of the id, or `latest`.")]
StoredRun = Annotated[str, typer.Option("--run-id", help="The run: its id, a prefix of the id, or `latest`.")]
CaseId = Annotated[str, typer.Argument(help="The case's id.")]
Wires = Annotated[
    list[str] | None,
    typer.Option("--wire", help="A plug-in's wire, package.module:Name, to read its answers again; may be repeated."),
]
METRICS = ("--metrics", "--metric", "-m")
Metrics = Annotated[list[str], typer.Option(*METRICS, help="Metrics, comma-separated; may be repeated.")]


def metric_names(values: Sequence[str]) -> tuple[str, ...]:
    """Return the names in `--metrics` without duplicates. Raises InputError if there is none."""
    from runner.run.resolve import split_names

    return split_names(",".join(values), "--metrics")
