"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

Db = Annotated[Path, typer.Option("--db", envvar="EVALS_DB", help="The database.")]
Json = Annotated[bool, typer.Option("--json", help="Print data as JSON to stdout.")]
Run = Annotated[str, typer.Argument(help="A run's id, a prefix of one, or `latest`.")]

DEFAULT_DB = Path("evals.db")
