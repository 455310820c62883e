"""Options that several commands share; those of commands that ask models are in `runner/run/options.py`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from runner.run import options as of_asking

if TYPE_CHECKING:
    from runner.run.options import AskOptions

AskOptionsT = TypeVar("AskOptionsT", bound="AskOptions")

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


# Only for the commands that are no records yet; everything from here on goes with the last of them.
DEFAULT_DB, Db, Json = of_asking.DEFAULT_DB, of_asking.Db, of_asking.Json
Provider = Annotated[str, typer.Option("--provider", help="Read every id as this provider's.")]
BaseUrl = Annotated[str, typer.Option("--base-url", help="Where an OpenAI-compatible server answers.")]
InsecureHttp = Annotated[
    bool, typer.Option("--insecure-http", help="Allow plain http to other machines, which others can read.")
]
ValidAttempts = Annotated[int, typer.Option("--valid-attempts-per-case", "-n", help="The quota.")]
MostAttempts = Annotated[
    int | None, typer.Option("--max-attempts-per-case", help="The cap; 10 times the quota if not given.")
]
Concurrency = Annotated[
    int | None, typer.Option("--max-concurrency", "--slots", help="At most so many attempts at once.")
]
# Where tests are run beside the calls.
FewCalls = Annotated[
    int | None, typer.Option("--max-concurrency", "--slots", min=1, help="Calls at once [default: 4].")
]
Parallel = Annotated[bool, typer.Option("--parallel", help="Several attempts at once (80 if no N).")]
Temperature = Annotated[float, typer.Option("--temperature", min=0, help="Sampling temperature.")]
MaxTokens = Annotated[int, typer.Option("--max-tokens", min=1, help="The longest answer; always sent.")]
Seed = Annotated[int, typer.Option("--seed", help="The seed, sent and used by simulated models.")]
ThinkingBudget = Annotated[int, typer.Option("--thinking-budget", min=0, help="Tokens to think with.")]
RunId = Annotated[str, typer.Option("--run-id", help="Create this run, or go on with it.")]
Workers = Annotated[int, typer.Option("--workers", "-j", min=1, help="Test runs at once.")]
WeakSandbox = Annotated[
    bool,
    typer.Option(
        "--weak-sandbox", help="Go on where tests cannot run in a sandbox: they then have all your permissions."
    ),
]
Resume = Annotated[str, typer.Option("--resume", help="Go on with a run: its id, or `latest`.")]
Name = Annotated[str, typer.Option("--name", help="A name for the run.")]
Note = Annotated[str, typer.Option("--note", help="A note on the run.")]
FirstByteTimeout = Annotated[
    float, typer.Option("--first-byte-timeout", min=0.001, help="Seconds until the first byte.")
]
IdleTimeout = Annotated[float, typer.Option("--idle-timeout", min=0.001, help="Seconds between two pieces.")]
TotalTimeout = Annotated[float, typer.Option("--total-timeout", min=0.001, help="Seconds for one call.")]
Budget = Annotated[float | None, typer.Option("--budget", min=0, help="The most that the run may cost, in USD.")]
PriceTable = Annotated[Path | None, typer.Option("--prices", help="A price table in place of the snapshot.")]
Rpm = Annotated[float | None, typer.Option("--rpm", min=0.001, help="At most so many requests a minute.")]
Tpm = Annotated[float | None, typer.Option("--tpm", min=1, help="At most so many tokens a minute.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the plan, ask nobody.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before a paid run.")]
YesWeak = Annotated[bool, typer.Option("--yes", "-y", help="Agree, as root, to --weak-sandbox.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="A line per attempt.")]

# Options that the records call otherwise.
_RENAMED = {
    "quota": "valid_attempts_per_case",
    "cap": "max_attempts_per_case",
    "budget_usd": "budget",
    "quiet": "json",
}


def asked_for(kind: type[AskOptionsT], given: Mapping[str, Any], **renamed: str) -> AskOptionsT:
    """A command's options as one value, each field from the option of its name, or of the one it is renamed to.

    A field that no option is for keeps its default.
    """
    from dataclasses import fields

    from runner.run.pace import Deadlines

    timeouts = [given[name] for name in ("first_byte_timeout", "idle_timeout", "total_timeout") if name in given]
    names = {field.name: {**_RENAMED, **renamed}.get(field.name, field.name) for field in fields(kind)}
    values = {field: given[name] for field, name in names.items() if name in given}
    return kind(**{**values, "deadlines": Deadlines(*timeouts)})
