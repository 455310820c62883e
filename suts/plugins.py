"""Imports what `package.module:Name` names: the one place where a name becomes third-party code."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType


class PluginError(Exception):
    """Nothing can be imported by a name; one line that says why."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """What a name stands for, and the module that it is in."""

    module: ModuleType
    target: object


def load_plugin(dotted: str) -> Plugin:
    """Return the object that `package.module:Name` names, in an installed module or in one of the current folder.

    The current folder is importable until this returns, and only for a package that is not installed. Only names that
    the user gave may come here: importing a module runs it. Raises PluginError.
    """
    path, _, attribute = dotted.partition(":")
    try:
        with _current_folder_importable(unless_installed=path.partition(".")[0]):
            module = import_module(path)
            return Plugin(module, getattr(module, attribute))
    except Exception as error:
        # Importing runs other people's code: whatever it raises, the name is bad input.
        raise PluginError(f"{type(error).__name__}: {error}".replace("\n", " ")) from error


@contextmanager
def _current_folder_importable(unless_installed: str) -> Iterator[None]:
    """Have the current folder at the end of the path, so that no file there hides what is installed."""
    folder = os.getcwd()  # noqa: PTH109 - entries of the path are strings
    if folder in sys.path or _is_installed(unless_installed):
        yield
        return
    sys.path.append(folder)
    try:
        yield
    finally:
        with suppress(ValueError):  # the module may have changed the path itself
            sys.path.remove(folder)


def _is_installed(package: str) -> bool:
    """Return whether a top-level module is found without the current folder.

    A namespace package, which has no file of its own, does not count: the folder may hold a part of it.
    """
    specs = (finder.find_spec(package, None) for finder in sys.meta_path)
    return any(spec is not None and spec.origin is not None for spec in specs)
