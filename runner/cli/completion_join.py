"""`evals completion join`: one data set of the tasks of several repositories."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from runner.run.options import Json, Wide


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionJoinOptions:
    """The options of `evals completion join`."""

    files: Annotated[list[Path], Argument(metavar="FILE...", help="Data sets of different repositories.")]
    out: Annotated[Path, Option("--out", help="The data set file to write.")]
    json: Json = False
    wide: Wide = False


def join(options: CompletionJoinOptions) -> None:
    """Make one data set of several, each of its own repository.

    Tasks keep their repository, which is put before their names.
    """
    from runner.console import put_json, show
    from runner.errors import InputError
    from runner.suites.completion.dataset import write_dataset
    from runner.suites.completion.joining import joined
    from runner.suites.completion.origin_table import as_json, document

    out = options.out
    if out.is_dir() or not out.parent.is_dir():
        raise InputError(f"--out {out}: give a file in an existing folder")
    dataset = joined(options.files)
    write_dataset(dataset, out)
    put_json(as_json(dataset)) if options.json else show(document(dataset, str(out)), wide=options.wide)
