"""What is to be seen of folders in which something secret lies: all else."""

from collections.abc import Iterable, Iterator
from pathlib import Path


def without(folder: Path, secret: Path) -> Iterator[Path]:
    """Yield what is to be seen of a folder: all of it, or, where something secret lies in it, all else."""
    if not secret.resolve().is_relative_to(folder.resolve()):
        yield folder
    elif folder.resolve() != secret.resolve():
        for part in sorted(folder.iterdir()):
            yield from without(part, secret)


def without_all(folders: Iterable[Path], secrets: Iterable[Path]) -> tuple[Path, ...]:
    """Return the same of several folders, each part once, for several secrets."""
    parts = dict.fromkeys(folders)
    for secret in secrets:
        parts = dict.fromkeys(part for folder in parts for part in without(folder, secret))
    return tuple(parts)
