"""`evals bundle`: a run as one file that anyone can compute again."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from runner.cli.options import Run
from runner.run.options import DEFAULT_DB, Db

if TYPE_CHECKING:
    from runner.bundles.form import Redaction


@dataclass(frozen=True, slots=True, kw_only=True)
class RunBundleOptions:
    """The options of `evals bundle`."""

    run: Run = "latest"
    out: Annotated[Path | None, Option("--out", "-o", metavar="FILE", help="The file. [default: RUN.evals.zip]")] = None
    redact: Annotated[
        str,
        Option("--redact", help="What to leave out, comma-separated: cases, answers, streams (the bytes of answers)."),
    ] = ""
    db: Db = DEFAULT_DB


def bundle(options: RunBundleOptions) -> None:
    """Write a run as one file that anyone can verify.

    It has all that the figures follow from: cases, prompts, the bytes of answers with their times, scorings, versions
    and digests. A replay is written with the run whose answers it scored. Paths of this machine are left out.
    """
    from runner.bundles.writing import write_bundle
    from runner.console import format_bytes, say
    from runner.storage.runs import find_run
    from runner.storage.store import Store
    from runner.suites import suite_named

    redacted = _redactions(options.redact)
    with closing(Store.open(options.db, create=False)) as store:
        run = find_run(store, options.run)
        suite = suite_named(run["suite"])
        path = options.out or Path(f"{run['run_id']}.evals.zip")
        size = write_bundle(store, run, path, redacted, lambda row: suite.report(store, row, None).data)
    left_out = f", without {' and '.join(redacted)}" if redacted else ""
    say(f"{path}: {format_bytes(size)}{left_out}; `evals verify {path}` computes its figures again")


def _redactions(text: str) -> "tuple[Redaction, ...]":
    """Return what is to be left out. Raises InputError for anything else."""
    from runner.bundles.form import REDACTIONS
    from runner.errors import InputError

    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in REDACTIONS:
            raise InputError(f"--redact: {name!r} cannot be left out; give one or more of {', '.join(REDACTIONS)}")
    return tuple(known for known in REDACTIONS if known in names)
