"""What a module of a third party may see and do: its variables, the folders it may write in, its network."""

import os
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from runner.agents.door import door_of
from runner.agents.room import proxied_at
from runner.execution.isolation import GROUP_ONLY, Cell, Isolation
from runner.suites.nextedit.systems.child_process import ChildLimits
from runner.suites.nextedit.systems.module_meter import Metering

# Names of what is nobody else's affair, and addresses with a password in them.
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|COOKIE|AUTH|PRIVATE|DSN", re.IGNORECASE)
_SECRET_VALUE = re.compile(r"://[^/@\s]*:[^/@\s]*@")
_PATH = "/usr/local/bin:/usr/bin:/bin"
# Threads count too, and numerical libraries start one for each processor.
_PROCESSES = 512
# This program and its libraries.
_OURS = (Path(__file__).resolve().parents[4], Path(sys.prefix).resolve())
# What every program needs besides.
_SYSTEM = (Path(sys.base_prefix).resolve(), Path("/usr"), Path("/etc"))


@dataclass(frozen=True, slots=True)
class ModuleSettings:
    """Which module, in which interpreter, with which variables and limits, and how it is isolated.

    - `hidden`: folders and files that it may not see.
    - `trees`: folders that it may not see either, but those in which there is something that it needs.
    - `log_dir`: its LOG_DIR, the same for all commits; None where its logs are not to be kept.
    - `metering`: the models that it may ask by a proxy, which is its only network; None for no proxy.
    """

    path: Path
    python: str = sys.executable
    env: Mapping[str, str] = field(default_factory=dict)
    limits: ChildLimits = field(default_factory=ChildLimits)
    isolation: Isolation = GROUP_ONLY
    hidden: tuple[Path, ...] = ()
    trees: tuple[Path, ...] = ()
    log_dir: Path | None = None
    metering: Metering | None = None


def harmless(env: Mapping[str, str], named: Collection[str] = ()) -> dict[str, str]:
    """The variables that are no secrets, by name and by value, and those that are named."""
    return {
        name: value
        for name, value in env.items()
        if name in named or not (_SECRET_NAME.search(name) or _SECRET_VALUE.search(value))
    }


def with_network(isolation: Isolation) -> Isolation:
    """The same isolation, but with the network of this machine."""
    means = tuple(name for name in isolation.means if name != "no-network")
    return replace(isolation, means=means, enter=tuple(word for word in isolation.enter if word != "--net"))


def environment_in(tree: Path, settings: ModuleSettings) -> dict[str, str]:
    """The variables of a module that works in a tree; home and temporary files are beside the tree.

    So are logs that are not to be kept.
    """
    home = tree.parent
    logs = home / ".log" if settings.log_dir is None else settings.log_dir.resolve()
    own = {"HOME": home / ".home", "TMPDIR": home / ".tmp", "LOG_DIR": logs}
    for folder in own.values():
        folder.mkdir(parents=True, exist_ok=True)
    # Its folder belongs to a user: it is left without what Python would put there.
    usual = {"PATH": _PATH, "PYTHONDONTWRITEBYTECODE": "1"}
    proxied = {} if settings.metering is None else proxied_at(door_of(settings.metering.secret))
    return {**usual, **settings.env, **proxied, **{name: str(folder) for name, folder in own.items()}}


def cell_of(tree: Path, settings: ModuleSettings) -> Cell:
    """The cell of a module that works in a tree: where it may write, and nowhere else.

    That is in the tree and beside it, in the folder of its logs, and in its own folder, through links and where they
    lead; but it cannot change itself or this program. A folder that also holds the trees, or this program, is not its
    own.
    """
    home = tree.parent.resolve()
    own = _folders_of(settings.path) if settings.path.name else ()
    rooms = [folder for folder in own if folder not in _OURS and not home.is_relative_to(folder)]
    if settings.log_dir is not None:
        rooms.append(settings.log_dir.resolve())
    precious = (settings.path.resolve(), *_OURS)
    guarded = (path for path in precious if any(room in path.parents for room in rooms) and path not in rooms)
    hidden = (*_spare(settings, (*own, *rooms)), *settings.hidden)
    return Cell(home, settings.isolation, _PROCESSES, hidden, tuple(dict.fromkeys(rooms)), tuple(guarded))


def _spare(settings: ModuleSettings, rooms: Sequence[Path]) -> Iterator[Path]:
    """The trees in which there is nothing that the module needs."""
    libraries = [Path(folder).resolve() for folder in settings.env.get("PYTHONPATH", "").split(os.pathsep) if folder]
    needed = (*rooms, *libraries, *_OURS, *_SYSTEM, Path(settings.python).resolve())
    yield from (tree for tree in settings.trees if not any(path.is_relative_to(tree) for path in needed))


def _folders_of(path: Path) -> tuple[Path, ...]:
    """Where a file is, and where it is if it is a link."""
    return path.absolute().parent.resolve(), path.resolve().parent
