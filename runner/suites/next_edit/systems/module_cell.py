"""What a module of somebody else's may see and do: its variables, the one folder it may write in, its network."""

import re
import shutil
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from runner.isolation import GROUP_ONLY, Cell, Isolation
from runner.suites.next_edit.systems.child_process import ChildLimits

# Names of what is nobody else's affair, and addresses with a password in them.
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|COOKIE|AUTH|PRIVATE|DSN", re.IGNORECASE)
_SECRET_VALUE = re.compile(r"://[^/@\s]*:[^/@\s]*@")
_PATH = "/usr/local/bin:/usr/bin:/bin"
# Threads count too, and numerical libraries start one for each processor.
_PROCESSES = 512


@dataclass(frozen=True, slots=True)
class ModuleSettings:
    """Which module, in which interpreter, with which variables and limits, and how it is shut in.

    - `hidden`: folders and files that it may not see.
    - `log_dir`: where what it writes into its LOG_DIR is kept; None where that is not wanted.
    """

    path: Path
    python: str = sys.executable
    env: Mapping[str, str] = field(default_factory=dict)
    limits: ChildLimits = field(default_factory=ChildLimits)
    isolation: Isolation = GROUP_ONLY
    hidden: tuple[Path, ...] = ()
    log_dir: Path | None = None


def harmless(env: Mapping[str, str], named: Collection[str] = ()) -> dict[str, str]:
    """The variables that are no secrets, by name and by value, and those that are named."""
    return {
        name: value
        for name, value in env.items()
        if name in named or not (_SECRET_NAME.search(name) or _SECRET_VALUE.search(value))
    }


def with_network(isolation: Isolation) -> Isolation:
    """The same isolation, but with the network of this machine."""
    means = tuple(each for each in isolation.means if each != "no-network")
    return replace(isolation, means=means, enter=tuple(word for word in isolation.enter if word != "--net"))


def environment_in(tree: Path, settings: ModuleSettings) -> dict[str, str]:
    """The variables of a module that works in a tree; home, temporary files and logs are beside the tree."""
    home = tree.parent
    own = {"HOME": home / ".home", "TMPDIR": home / ".tmp", "LOG_DIR": home / ".log"}
    for folder in own.values():
        folder.mkdir(exist_ok=True)
    return {"PATH": _PATH, **settings.env, **{name: str(folder) for name, folder in own.items()}}


def cell_of(tree: Path, settings: ModuleSettings) -> Cell:
    """The cell of a module that works in a tree: it may write in the tree and beside it, and nowhere else."""
    return Cell(tree.parent, settings.isolation, _PROCESSES, settings.hidden)


def keep_logs(tree: Path, log_dir: Path | None) -> None:
    """Copy what a module wrote into its LOG_DIR; plain files only, since a link may lead anywhere."""
    logs = tree.parent / ".log"
    if log_dir is None or logs.is_symlink():
        return
    for file in sorted(logs.rglob("*")):
        if file.is_symlink() or not file.is_file():
            continue
        kept = log_dir / file.relative_to(logs)
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, kept, follow_symlinks=False)
