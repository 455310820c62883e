"""Writes the files that users begin something of their own with."""

from pathlib import Path

from runner.console import put, say
from runner.errors import InputError


def write_new(path: Path, text: str, command: str) -> None:
    """Write a file that is not there yet, print its path, and say which command tries it. Raises InputError."""
    if path.exists():
        raise InputError(f"NAME: there is a file {path} already; give another name")
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"NAME: {path} cannot be written ({error.strerror}); name a folder that is there") from error
    say(f"try it: {command}")
    put(f"{path}\n")
