"""A folder that is there whole or not at all."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from runner.errors import InputError
from runner.execution import stale_dirs

_KIND = "mined"


@contextmanager
def new_folder(out: Path) -> Iterator[Path]:
    """Make a folder to fill, which becomes `out` when the block ends without an error; after one, nothing is left.

    What a process that was killed while it filled one has left in `out` or beside it is removed first. Raises
    InputError where `out` is no folder, or one with anything in it, or cannot be made.
    """
    place = out.absolute()
    for folder in (place, place.parent):
        stale_dirs.sweep(folder, shutil.rmtree, _KIND)
    refuse_filled(out)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        # Inside a folder that is there, so that moving out of it stays on its file system.
        around = place if place.is_dir() else place.parent
        with tempfile.TemporaryDirectory(dir=around, prefix=f".{stale_dirs.prefix(_KIND)}") as unfinished:
            filled = Path(unfinished) / "cases"
            filled.mkdir()
            yield filled
            _move(filled, place)
    except OSError as error:
        raise InputError(f"--out {out}: cannot be written: {error.strerror or error}") from error


def refuse_filled(out: Path) -> None:
    """Raise InputError unless `out` is absent or an empty folder."""
    try:
        is_file = out.exists() and not out.is_dir()
        is_filled = out.is_dir() and any(out.iterdir())
    except OSError as error:
        raise InputError(f"--out {out}: {error.strerror}") from error
    if is_file or is_filled:
        why = "is a file" if is_file else "is not empty"
        raise InputError(f"--out {out}: {why}; name a new folder, nothing is overwritten or added to")


def _move(filled: Path, place: Path) -> None:
    if not place.is_dir():
        filled.rename(place)
        return
    for path in sorted(filled.iterdir()):
        path.rename(place / path.name)
