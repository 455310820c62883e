"""The cell of an attempt: what an agent may see and write, and in which environment."""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from runner.agents.door import DOOR
from runner.agents.limits import AgentLimits
from runner.errors import InputError
from runner.execution.isolation import Cell, Isolation
from runner.execution.shown_parts import without_all
from runner.shipped import shipped_folder

# What every program needs; all else at the top of the file system is hidden, homes and temporary files included.
_SYSTEM = frozenset(
    ["bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "etc", "opt", "nix", "proc", "sys", "dev"]
)
_SECRET = (Path("/etc/shadow"), Path("/etc/gshadow"), Path("/etc/ssh"), Path("/etc/evals"))
_PATH = "/usr/local/bin:/usr/bin:/bin"
KEY = "evals-has-the-key"
_PROXIED = MappingProxyType(
    {
        "ANTHROPIC_BASE_URL": DOOR,
        "ANTHROPIC_API_KEY": KEY,
        "OPENAI_BASE_URL": f"{DOOR}/v1",
        "OPENAI_API_BASE": f"{DOOR}/v1",
        "OPENAI_API_KEY": KEY,
        "GOOGLE_GEMINI_BASE_URL": DOOR,
        "GEMINI_API_KEY": KEY,
    }
)


@dataclass(frozen=True, slots=True)
class AgentProgram:
    """The words that start an agent, what it needs of the file system beside the system itself, further variables.

    With `takes_task` the task stands among the words; else it is on standard input.
    """

    words: tuple[str, ...]
    visible: tuple[Path, ...] = ()
    variables: Mapping[str, str] | None = None
    takes_task: bool = False


def program_of(words: Sequence[str], variables: Mapping[str, str] | None = None) -> AgentProgram:
    """Return a program; what its words and variables name is visible to it. Raises InputError where there is none."""
    program = shutil.which(words[0])
    if program is None:
        raise InputError(f"--model-ids: there is no program {words[0]}; install it, or give its path")
    path = Path(program).absolute()
    named = [*_places_in(words[1:], (variables or {}).values())]
    placed = [str(Path(word).absolute()) if _is_there(word) else word for word in words[1:]]
    visible = dict.fromkeys((*_folders_of(path), *(place for file in named for place in _parts_of(file))))
    return AgentProgram((str(_as_seen(path, visible)), *placed), _needed(visible), variables)


def _places_in(words: Iterable[str], values: Iterable[str]) -> Iterator[Path]:
    """Yield the places that words name, and those named by `key=/path`, quoted or not, and by values of variables."""
    yield from (Path(word).absolute() for word in words if _is_there(word))
    stated = (*(word.partition("=")[2].strip("'\"") for word in words), *values)
    yield from (Path(value) for value in stated if value.startswith("/") and _is_there(value))


def _parts_of(place: Path) -> Iterator[Path]:
    """Yield a place that is named; of a program also what it consists of, for a script may start it."""
    real = place.resolve()
    yield from (place, real)
    if place.is_file() and os.access(place, os.X_OK):
        yield from _around(place, real)


def _is_there(word: str) -> bool:
    """Return whether a word is a path of something; a long one, such as a script, is none."""
    try:
        return Path(word).exists()
    except (OSError, ValueError):
        return False


def _as_seen(program: Path, visible: Mapping[Path, None]) -> Path:
    """Return the path that a program has in a cell: of a link in a hidden folder, that of what it leads to."""
    if not _is_hidden(program) or any(program.is_relative_to(folder) for folder in visible if folder != program):
        return program
    return program.resolve()


def _folders_of(program: Path) -> Iterator[Path]:
    """Yield what a program consists of: its file, the package or the environment that it is in, its interpreter."""
    real = program.resolve()
    yield from (program, real)
    yield from (path.parents[1] for path in (program, real) if path.name.startswith("python"))
    yield from _around(program, real)


def _around(program: Path, real: Path) -> Iterator[Path]:
    """Yield the package or the environment that a program is in, and its interpreter."""
    for path in (program, real):
        package = next((place for place in path.parents if place.name == "node_modules"), None)
        if package is not None:
            yield package
        elif (path.parent.parent / "pyvenv.cfg").is_file():
            yield path.parent.parent
    if (interpreter := _interpreter_of(real)) is not None:
        yield interpreter


def _interpreter_of(script: Path) -> Path | None:
    """Return the program that a script looks for in PATH, such as `node`, where the system has none of that name."""
    words = _first_line(script).removeprefix("#!").split()
    if len(words) < 2 or words[0] != "/usr/bin/env" or shutil.which(words[1], path=_PATH):
        return None
    program = shutil.which(words[1])
    # A script in its place, as version managers have, would look further in folders that are hidden.
    return None if program is None or _first_line(Path(program)).startswith("#!") else Path(program).resolve()


def _first_line(path: Path) -> str:
    with path.open("rb") as file:
        return file.readline(256).decode("utf-8", "replace")


def _needed(visible: Mapping[Path, None]) -> tuple[Path, ...]:
    """Return the paths that are hidden otherwise. Raises InputError for a folder that holds all of the user's."""
    hidden = [path for path in visible if _is_hidden(path)]
    for path in hidden:
        if Path.home().is_relative_to(path) or Path.cwd().is_relative_to(path):
            raise InputError(f"--model-ids: the agent would see all of {path}; put it into a folder of its own")
    return tuple(hidden)


def _is_hidden(path: Path) -> bool:
    return bool(path.parts[1:2]) and path.parts[1] not in _SYSTEM


def hidden_places() -> tuple[Path, ...]:
    """Return all that an agent is not to see."""
    tops = (path for path in Path("/").iterdir() if path.name not in _SYSTEM and not path.is_symlink())
    return (*sorted(tops), *(path for path in _SECRET if path.exists()))


def cell_for(
    room: Path, program: AgentProgram, isolation: Isolation, limits: AgentLimits, hidden: tuple[Path, ...] = ()
) -> Cell:
    """Return the cell of an attempt whose files are in the room; `hidden` are further places that it does not see."""
    visible, covered = _seen(program.visible, hidden)
    return Cell(
        room,
        isolation,
        processes=limits.processes,
        hidden=(*hidden_places(), *hidden),
        memory_bytes=limits.memory,
        visible=visible,
        covered=covered,
    )


@cache
def _seen(visible: tuple[Path, ...], hidden: tuple[Path, ...]) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Return what is shown of these places and of the interpreter's, and what is covered in it.

    An environment that evals is installed in holds the right answers of the shipped cases.
    """
    base = tuple(path for path in (Path(sys.base_prefix).resolve(),) if _is_hidden(path))
    places = tuple(dict.fromkeys((*visible, *base)))
    secrets = [secret for secret in (shipped_folder(), *hidden) if _lies_in(secret, places)]
    # What holds a place to be shown is not covered as a whole.
    covered = tuple(secret for secret in secrets if not any(_lies_in(place, (secret,)) for place in places))
    return without_all(places, (secret for secret in secrets if secret not in covered)), covered


def _lies_in(place: Path, folders: Iterable[Path]) -> bool:
    return any(place.resolve().is_relative_to(folder.resolve()) for folder in folders)


def environment_in(room: Path, program: AgentProgram, door: str) -> dict[str, str]:
    """Return the variables of an agent, from nothing: none of the user's are in it. It asks at this door."""
    own = {"HOME": room / "home", "TMPDIR": room / "tmp", "CLAUDE_CODE_TMPDIR": room / "tmp"}
    for folder in own.values():
        folder.mkdir(exist_ok=True)
    return {
        "PATH": ":".join((*dict.fromkeys(map(str, _folders_in_path(program))), _PATH)),
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        **proxied_at(door),
        **(program.variables or {}),
        **{name: str(folder) for name, folder in own.items()},
    }


def proxied_at(door: str) -> dict[str, str]:
    """Return the variables of who asks at this door."""
    return {name: value.replace(DOOR, door) for name, value in _PROXIED.items()}


def _folders_in_path(program: AgentProgram) -> Iterator[Path]:
    """Yield where the agent itself is, and the visible programs that it may start by name, such as its interpreter."""
    yield Path(program.words[0]).parent
    yield from (path.parent for path in program.visible if path.is_file() and os.access(path, os.X_OK))
