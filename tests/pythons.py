"""The Pythons of this machine that the project supports."""

import shutil
from pathlib import Path

VERSIONS = ("3.11", "3.12", "3.13", "3.14")


def interpreters() -> dict[str, str]:
    """Return them by version: on the path, or among those that pyenv has installed."""
    found = {version: shutil.which(f"python{version}") for version in VERSIONS}
    for version in VERSIONS:
        installed = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
        found[version] = str(installed[-1]) if installed else found[version]
    return {version: path for version, path in found.items() if path}
