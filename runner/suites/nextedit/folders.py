"""Folders that an option names to be written into, checked or made before anything is asked or paid for."""

import os
from pathlib import Path

from runner.errors import InputError


def make_folder(option: str, folder: Path) -> None:
    """Make the folder that an option names, unless it exists. Raises InputError where nothing can be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = "it is a file" if folder.is_file() else error.strerror
        raise _cannot_be_made(option, folder, str(reason)) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"{option}: nothing can be written in {folder}; name another folder")


def check_folder(option: str, folder: Path) -> None:
    """Raise InputError for a folder that could not be made or written into; makes nothing."""
    nearest = next(place for place in (folder, *folder.absolute().parents) if os.path.lexists(place))
    if not nearest.is_dir():
        raise _cannot_be_made(option, folder, "it is a file" if nearest == folder else "Not a directory")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise InputError(f"{option}: nothing can be written in {nearest}; name another folder")


def _cannot_be_made(option: str, folder: Path, reason: str) -> InputError:
    return InputError(f"{option}: {folder} cannot be made: {reason}; name another folder")
