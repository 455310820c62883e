"""The variables of the process, and of the nearest `.env` above the working folder."""

import os
from collections.abc import Mapping
from pathlib import Path

from runner.errors import InputError


def environment(folder: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """`environ` with what the first `.env` in `folder` or above adds; it never overrides.

    A file of somebody else's that we may not read is passed over. Raises InputError for one that is no text.
    """
    return {**dotenv_of(folder)[1], **environ}


def dotenv_of(folder: Path) -> tuple[Path | None, dict[str, str]]:
    """The first `.env` in `folder` or above, and what it says; None where there is none. Raises InputError as above."""
    from dotenv import dotenv_values

    home = folder.resolve()
    for place in (home, *home.parents):
        file = place / ".env"
        # The first question is what a folder above that is closed to us would answer with an error.
        if os.access(file, os.R_OK) and file.is_file():
            try:
                return file, {name: value for name, value in dotenv_values(file).items() if value is not None}
            except UnicodeDecodeError as error:
                raise InputError(f"{file}: not UTF-8 text: {error.reason}; rewrite it, or move it away") from error
    return None, {}
