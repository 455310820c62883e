"""`evals selftest`: prove the installation on simulated models of known rates, over both wires, with faults."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from runner.run.options import Wide


@dataclass(frozen=True, slots=True, kw_only=True)
class SelftestOptions:
    """The options of `evals selftest`."""

    fast: Annotated[bool, Option("--fast", help="Make only a tenth of the attempts; takes seconds.")] = False
    wide: Wide = False
    keep: Annotated[Path | None, Option("--keep", help="Keep the cases and the database in this new folder.")] = None


def selftest(options: SelftestOptions) -> None:
    """Prove the installation on simulated models of known rates.

    Runs a benchmark with known results over both wires and with injected faults. Fails unless it finds exactly
    these results.
    """
    from contextlib import nullcontext
    from tempfile import TemporaryDirectory

    from runner.console import say, show
    from runner.errors import InputError
    from runner.selftest import prove
    from runner.selftest.parts import FAST, FULL, Parts
    from runner.selftest.present import document

    keep = options.keep
    if keep is not None:
        try:
            keep.mkdir(parents=True)
        except OSError as error:
            raise InputError(f"--keep {keep}: cannot be created ({error.strerror}); name a new folder") from error
    with nullcontext(str(keep)) if keep else TemporaryDirectory() as folder:
        proof = prove(Parts(), FAST if options.fast else FULL, Path(folder), say)
    show(document(proof), wide=options.wide)
    raise typer.Exit(0 if proof.holds else 1)
