"""The options of `evals nextedit` for modules of somebody else's: what they may see and do, and for how long."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from runner.cli.nextedit_sources import DEFAULT_CASES

if TYPE_CHECKING:
    from runner.suites.next_edit.systems.module_cell import ModuleSettings

Network = Annotated[bool, typer.Option("--module-network", help="Let modules use the network. [default: none]")]
Variables = Annotated[
    list[str] | None,
    typer.Option("--module-env", metavar="NAME", help="A secret variable modules may see; may be repeated."),
]
Timeout = Annotated[float, typer.Option(min=0.1, metavar="SECONDS", help="The longest answer of a module.")]
LogDir = Annotated[
    Path | None, typer.Option(metavar="DIR", envvar="LOG_DIR", help="The LOG_DIR of modules, which they may write in.")
]


def module_settings(given: "Mapping[str, Any]", *, wanted: bool) -> "ModuleSettings":
    """How modules are run; what isolation is permitted is tried out if one is `wanted`. Raises InputError."""
    from runner.cli.folders import make_folder
    from runner.environment import environment
    from runner.isolation import GROUP_ONLY, strongest
    from runner.suites.next_edit.systems.child_process import ChildLimits
    from runner.suites.next_edit.systems.module_cell import ModuleSettings, harmless, with_network

    isolation = strongest() if wanted else GROUP_ONLY
    if wanted and given["log_dir"] is not None:
        make_folder("--log-dir", given["log_dir"])
    if given["module_network"]:
        isolation = with_network(isolation)
    return ModuleSettings(
        path=Path(),
        env=harmless(environment(Path.cwd(), os.environ), given["module_env"] or ()),
        limits=ChildLimits(question_s=given["module_timeout"]),
        isolation=isolation,
        hidden=tuple(_answers(given)),
        log_dir=given["log_dir"],
    )


def tell_isolation(modules: "ModuleSettings") -> None:
    """Say how modules are shut in."""
    from runner.console import say

    isolation = modules.isolation
    held = "" if isolation.whole else "; nothing else is permitted here, so what they write elsewhere stays"
    say(f"modules run in: {', '.join(isolation.means)}{held}")


def _answers(given: "Mapping[str, Any]") -> "Sequence[Path]":
    """Where the commits can be read to their end: what a system is asked for is not for it to look up."""
    repositories = [given["repo"]] if given["repo"] else []
    if given["repos_dir"]:
        repositories += [path for path in given["repos_dir"].glob("*") if path.is_dir()]
    found = [part for path in repositories for part in (path / ".git", path / "objects", path / "packed-refs")]
    found.append(given["cases"] or DEFAULT_CASES)
    # What the database keeps beside itself comes and goes.
    database = given["db"].resolve()
    kept = [database.with_name(database.name + end) for end in ("", "-wal", "-shm")]
    return [*(path.resolve() for path in found if path.exists()), *kept]
