"""The Pythons of this machine that the project supports, and one that has pytest and no plug-ins of it."""

import shutil
import venv
from pathlib import Path

import pytest

VERSIONS = ("3.11", "3.12", "3.13", "3.14")
# What pytest imports, and the metadata that it asks for.
_PYTEST = ("_pytest", "iniconfig", "packaging", "pluggy*", "py.py", "pygments", "pytest", "pytest-*.dist-info")


def interpreters() -> dict[str, str]:
    """Return them by version: on the path, or among those that pyenv has installed."""
    found = {version: shutil.which(f"python{version}") for version in VERSIONS}
    for version in VERSIONS:
        installed = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
        found[version] = str(installed[-1]) if installed else found[version]
    return {version: path for version, path in found.items() if path}


def bare_python(folder: Path) -> str:
    """Make an environment with pytest alone, which starts in half of the time that its plug-ins here take it."""
    venv.EnvBuilder(symlinks=True, with_pip=False).create(folder)
    (site,) = folder.glob("lib/python*/site-packages")
    here = Path(pytest.__file__).parents[1]
    for name in _PYTEST:
        for found in here.glob(name):
            (site / found.name).symlink_to(found)
    return str(folder / "bin" / "python")
