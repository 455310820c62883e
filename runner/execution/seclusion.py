"""What a program in a cell is not to see of this machine: the homes of users, but for what the program needs."""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

# What every program needs, and the kernel's own places.
_SYSTEM = tuple(map(Path, ("/bin", "/dev", "/etc", "/lib", "/lib64", "/opt", "/proc", "/sbin", "/sys", "/usr", "/nix")))
_HOMES = (Path("/home"), Path("/root"), Path("/Users"))
# What says that a folder is that of a whole program.
_MARKS = ("package.json", "pyproject.toml", "deno.json", "Cargo.toml", "go.mod", "node_modules")
_FOLDERS_OF_PROGRAMS = frozenset({"bin", "shims"})


def homes() -> tuple[Path, ...]:
    """Return the folders in which users keep their own."""
    own = Path(os.path.expanduser("~"))  # noqa: PTH111 - Path.expanduser raises without a home
    places = dict.fromkeys(place.resolve() for place in (own, *_HOMES) if place.is_dir())
    return tuple(place for place in places if len(place.parts) > 1)


def needed_by(command: Sequence[str], folder: Path, search_path: str) -> tuple[Path, ...]:
    """Return what a command needs to run in a folder: its program, the files that it names, what lies with them."""
    program = shutil.which(command[0], path=search_path)
    named = [Path(program)] if program else []
    named += [folder / word for word in command[1:] if (folder / word).exists()]
    places = [folder.resolve(), *(place for path in named for place in _with(path.absolute()))]
    # A home as a whole is never needed: then it is the file alone.
    own = homes()
    wide = {place for place in places if any(home.is_relative_to(place) for home in own)}
    files = [path.resolve() for path in named if path.is_file()]
    return tuple(dict.fromkeys([*(place for place in places if place not in wide), *files]))


def _with(path: Path) -> Iterator[Path]:
    """Yield the folders that a named file or folder is part of, where its links are and where they lead."""
    for place in dict.fromkeys((path, path.resolve())):
        folder = place if place.is_dir() else place.parent
        if folder.name in _FOLDERS_OF_PROGRAMS:
            yield folder.parent.resolve()
        yield folder.resolve()
        whole = (above for above in folder.parents if any((above / mark).exists() for mark in _MARKS))
        yield from (above.resolve() for above in list(whole)[:1])


def hidden_in(trees: Iterable[Path], needed: Iterable[Path]) -> Iterator[Path]:
    """Yield what is to be hidden of the trees, so that of each no more is seen than what is needed."""
    keep = (*_SYSTEM, Path(sys.base_prefix).resolve(), *needed)
    for tree in trees:
        yield from _hidden(tree, keep)


def _hidden(place: Path, keep: Sequence[Path]) -> Iterator[Path]:
    if any(place.is_relative_to(path) for path in keep):
        return
    if not any(path.is_relative_to(place) for path in keep):
        yield place
    elif place.is_dir():
        try:
            inside = sorted(place.iterdir())
        except OSError:
            return
        for path in inside:
            if not path.is_symlink():
                yield from _hidden(path, keep)
