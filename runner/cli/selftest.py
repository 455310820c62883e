"""`evals selftest`: prove the installation on simulated models with planted rates, over both wires, under faults."""

from pathlib import Path
from typing import Annotated

import typer

_KEEP = "Keep the cases and the database in this new folder."


def selftest(
    fast: Annotated[bool, typer.Option("--fast", help="A tenth of the attempts, in seconds.")] = False,
    keep: Annotated[Path | None, typer.Option(help=_KEEP)] = None,
) -> None:
    """Run the main job over simulated models with planted rates and faults; find exactly what was planted, or fail."""
    from contextlib import nullcontext
    from tempfile import TemporaryDirectory

    from runner.console import say, show
    from runner.errors import InputError
    from runner.selftest import prove
    from runner.selftest.parts import FAST, FULL, Parts
    from runner.selftest.present import document

    if keep is not None:
        try:
            keep.mkdir(parents=True)
        except OSError as error:
            raise InputError(f"--keep {keep}: cannot be made ({error.strerror}); name a new folder") from error
    with nullcontext(str(keep)) if keep else TemporaryDirectory() as folder:
        proof = prove(Parts(), FAST if fast else FULL, Path(folder), say)
    show(document(proof))
    raise typer.Exit(0 if proof.holds else 1)
