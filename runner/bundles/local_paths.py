"""Leaves paths of the machine that made a run out of a bundle: of folders, of programs, of a home."""

import re
from collections.abc import Mapping
from typing import Any

from runner.bundles.form import LEFT_OUT

# A path that is whole in itself; a path within a project, such as `cases/diff_edit`, says nothing of its owner.
_ABSOLUTE = re.compile(r"(?:file:)?(?:/|~|[A-Za-z]:[\\/])")
_SEPARATOR = re.compile(r"[/\\]")
_HOME = re.compile(r"(?:/home|/Users)/[^/\s\"']+|/root(?=/)|[A-Za-z]:\\+Users\\+[^\\\s\"']+")
_TRACED = re.compile(r'File "[^"\n]*[/\\]([^"/\\\n]+)"')


def portable(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Return a part of a configuration with a mark in place of each absolute path and of each command that holds one.

    To do it twice changes nothing.
    """
    if isinstance(value, Mapping):
        return {name: portable(item) for name, item in value.items()}
    if isinstance(value, list):
        return [portable(item) for item in value]
    if isinstance(value, str) and any(_ABSOLUTE.match(word) for word in value.split(" ")):
        return LEFT_OUT
    return value


def portable_path(path: str | None) -> str | None:
    """Return a path as it is if it leads into a project, else its last part alone. To do it twice changes nothing."""
    if path is None or not _ABSOLUTE.match(path):
        return path
    return f"{LEFT_OUT}/{re.split(_SEPARATOR, path.rstrip('/'))[-1]}"


def without_paths(text: str | None) -> str | None:
    """Return a traceback, or what a test printed, without the folders of source files and the names of home folders."""
    return None if text is None else _HOME.sub("~", _TRACED.sub(r'File "\1"', text))
