"""Where a user's own settings, what the user has decided, and what can be made again are kept: outside of projects."""

import os
from collections.abc import Mapping
from pathlib import Path

from runner.errors import InputError


def config_file(environ: Mapping[str, str]) -> Path | None:
    """Return the user's own evals.toml, whether it exists or not; None where the user has no home folder."""
    folder = _folder(environ, "XDG_CONFIG_HOME", ".config")
    return None if folder is None else folder / "evals.toml"


def state_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder for decisions of the user. Raises InputError where the user has no home folder."""
    folder = _folder(environ, "XDG_STATE_HOME", ".local/state")
    if folder is None:
        raise InputError("HOME: is not set; set it, or XDG_STATE_HOME, to an absolute path")
    return folder


def cache_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder for what can be made again. Raises InputError where the user has no home folder."""
    folder = _folder(environ, "XDG_CACHE_HOME", ".cache")
    if folder is None:
        raise InputError("HOME: is not set; set it, or XDG_CACHE_HOME, to an absolute path")
    return folder


def _folder(environ: Mapping[str, str], variable: str, below: str) -> Path | None:
    """Return the folder of evals in the one that the variable names, else in the home folder.

    A relative path is passed over: it would lead into the project, whose files must not pass for the user's own.
    """
    chosen = Path(environ.get(variable, ""))
    if chosen.is_absolute():
        return chosen / "evals"
    home = Path(environ.get("HOME") or os.path.expanduser("~"))  # noqa: PTH111 - Path.expanduser raises without a home
    return home / below / "evals" if home.is_absolute() else None
