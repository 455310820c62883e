"""`evals merge`: the databases of several processes become one."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Argument

from runner.run.options import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeOptions:
    """The options of `evals merge`."""

    out: Annotated[Path, Argument(metavar="OUT", help="The database to merge into; it is made, or added to.")]
    databases: Annotated[list[Path], Argument(metavar="DB...", help="The databases to merge; they are kept.")]
    json: Json = False


def merge(options: MergeOptions) -> None:
    """Merge databases, such as those of all shards of a run.

    Answers keep their bytes, scorings and costs. To merge a database twice changes nothing. Runs of one id must have
    one configuration; else nothing is written, and the difference is named. Exit code 3 if a shard is missing.
    """
    from dataclasses import asdict

    import typer

    from runner.console import put_json, say
    from runner.errors import InputError
    from runner.run.session import INCOMPLETE
    from runner.storage.foreign import opened_whole
    from runner.storage.run_merge import merge_databases, merged_runs

    paths = [path for path in options.databases if path.resolve() != options.out.resolve()]
    if not paths:
        raise InputError(f"{options.out}: is the result itself; name the databases to merge into it")
    with opened_whole(options.out) as store:
        databases = []
        for merged in merge_databases(store, paths):
            databases.append(merged)
            say(f"{merged.path}: {merged.answers} answers and {merged.scorings} scorings are new")
        runs = list(merged_runs(store))
    if options.json:
        put_json({"databases": [asdict(database) for database in databases], "runs": [asdict(run) for run in runs]})
    for run in runs:
        rest = f"; shards missing or not done: {', '.join(run.missing)}" if run.missing else ""
        say(f"run {run.run_id}: {run.state}{rest}")
    if any(run.missing for run in runs):
        raise typer.Exit(INCOMPLETE)
