"""The variables of the process, and of the nearest `.env` above the working folder."""

from collections.abc import Mapping
from pathlib import Path


def environment(folder: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """`environ` with what the first `.env` in `folder` or above adds; it never overrides."""
    from dotenv import dotenv_values

    home = folder.resolve()
    for place in (home, *home.parents):
        file = place / ".env"
        if file.is_file():
            found = {name: value for name, value in dotenv_values(file).items() if value is not None}
            return {**found, **environ}
    return dict(environ)
