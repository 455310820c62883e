"""Output folders that an option names, made before any model is asked."""

import os
from pathlib import Path

from runner.errors import InputError


def make_folder(option: str, folder: Path) -> None:
    """Make the folder that an option names, unless it exists. Raises InputError if it cannot be written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = "it is a file" if folder.is_file() else error.strerror
        raise InputError(f"{option}: {folder} cannot be made: {reason}; name another folder") from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"{option}: nothing can be written in {folder}; name another folder")
