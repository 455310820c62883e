"""Options that several commands share; those of commands that ask models are in `runner/run/options.py`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from runner.storage.attempt_filter import AttemptFilter

Run = Annotated[str, typer.Argument(help="The run: its id, a prefix of the id, or `latest`.")]
StoredRun = Annotated[str, typer.Option("--run-id", help="The run: its id, a prefix of the id, or `latest`.")]
CaseId = Annotated[str, typer.Argument(help="The case's id.")]
Wires = Annotated[
    list[str] | None,
    typer.Option("--wire", help="A plug-in's wire, package.module:Name, to read its answers again; may be repeated."),
]
ModelFilter = Annotated[str, typer.Option("--model", help="Only these models, comma-separated.")]
PromptFilter = Annotated[str, typer.Option("--prompt", help="Only these prompts, comma-separated.")]
DiffFilter = Annotated[str, typer.Option("--diff", help="Only these diff algorithms, comma-separated.")]
METRICS = ("--metrics", "--metric", "-m")
Metrics = Annotated[list[str], typer.Option(*METRICS, help="Metrics, comma-separated; may be repeated.")]


def metric_names(values: Sequence[str]) -> tuple[str, ...]:
    """Return the names in `--metrics` without duplicates. Raises InputError if there is none."""
    from runner.run.resolve import split_names

    return split_names(",".join(values), "--metrics")


def chosen_attempts(
    model: str = "", prompt: str = "", diff: str = "", case: str = "", outcome: str = ""
) -> "AttemptFilter":
    """Return the filter of these comma-separated lists; an empty one chooses all."""
    from runner.run.resolve import split_models, split_names
    from runner.storage.attempt_filter import AttemptFilter

    return AttemptFilter(
        models=split_models(model, "--model") if model else (),
        prompts=split_names(prompt, "--prompt") if prompt else (),
        diffs=split_names(diff, "--diff") if diff else (),
        cases=split_names(case, "--case") if case else (),
        outcomes=split_names(outcome, "--outcome") if outcome else (),
    )
