"""The options of `evals nextedit` for modules of somebody else's: what they may see and do, and for how long."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Annotated, Any

import typer

from runner.cli.nextedit_sources import DEFAULT_CASES

if TYPE_CHECKING:
    from runner.suites.nextedit.systems.module_cell import ModuleSettings

Network = Annotated[bool, typer.Option("--module-network", help="Let modules use the network. [default: none]")]
Variables = Annotated[
    list[str] | None,
    typer.Option(
        "--module-env", metavar="NAME", help="A secret variable, or one of `.env`, modules may see; may be repeated."
    ),
]
Timeout = Annotated[float, typer.Option(min=0.1, metavar="SECONDS", help="The longest answer of a module.")]
LogDir = Annotated[
    Path | None, typer.Option(metavar="DIR", envvar="LOG_DIR", help="The LOG_DIR of modules, which they may write in.")
]


def module_settings(given: "Mapping[str, Any]", *, wanted: bool) -> "ModuleSettings":
    """How modules are run; what isolation is permitted is tried out if one is `wanted`. Raises InputError."""
    from runner.cli.folders import make_folder
    from runner.environment import variables_of
    from runner.execution import stale_dirs
    from runner.execution.isolation import GROUP_ONLY, strongest
    from runner.execution.untrusted_files import remove
    from runner.suites.nextedit.systems.child_process import ChildLimits
    from runner.suites.nextedit.systems.module_cell import ModuleSettings, harmless, with_network

    isolation = strongest() if wanted else GROUP_ONLY
    if wanted:
        # The trees of processes that were killed.
        stale_dirs.sweep(Path(gettempdir()), remove)
    if wanted and given["log_dir"] is not None:
        make_folder("--log-dir", given["log_dir"])
    if given["module_network"]:
        isolation = with_network(isolation)
    objects, trees = _repositories(given) if wanted else ([], [])
    named = given["module_env"] or ()
    variables = variables_of(Path.cwd(), os.environ)
    # Of `.env` only what is named: others could steer the programs that make the cell.
    shown = {name: value for name, value in variables.merged.items() if name in named or name in variables.process}
    return ModuleSettings(
        path=Path(),
        env=harmless(shown, named),
        limits=ChildLimits(question_s=given["module_timeout"]),
        isolation=isolation,
        hidden=(*objects, *_answers(given)),
        trees=tuple(trees),
        log_dir=given["log_dir"],
    )


def tell_isolation(modules: "ModuleSettings") -> None:
    """Say how modules are shut in."""
    from runner.console import say

    isolation = modules.isolation
    held = "" if isolation.whole else "; nothing else is permitted here, so what they write elsewhere stays"
    say(f"modules run in: {', '.join(isolation.means)}{held}")


def _repositories(given: "Mapping[str, Any]") -> "tuple[list[Path], list[Path]]":
    """Where commits can be read to their end in what git keeps, and where in what is checked out."""
    from runner.errors import InputError
    from runner.git import GitError, Repository
    from runner.suites.nextedit.repository_paths import objects_of, trees_of

    folder: Path | None = given["repos_dir"]
    # What is still to be cloned will be in that folder.
    objects: list[Path] = []
    trees = [folder.resolve()] if folder else []
    for path in [given["repo"]] if given["repo"] else sorted(folder.glob("*") if folder else ()):
        try:
            with Repository(path) as repository:
                objects += objects_of(repository)
                trees += trees_of(repository)
        except (InputError, GitError):
            continue  # what is no repository is told when its commits are read
    return objects, trees


def _answers(given: "Mapping[str, Any]") -> "Iterator[Path]":
    """The bundles and the database: what a system is asked for is not for it to look up."""
    cases = given["cases"] or DEFAULT_CASES
    if cases.exists():
        yield cases.resolve()
    # What the database keeps beside itself comes and goes.
    database = given["db"].resolve()
    yield from (database.with_name(database.name + end) for end in ("", "-wal", "-shm"))
