"""Runs suites against systems under test, keeps and reports the results."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from runner.frames import Frames

__all__ = ["open_db"]


def open_db(path: "str | Path" = "evals.db") -> "AbstractContextManager[Frames]":
    """Open a database for data frames, such as those of `attempts("latest")`, until the block ends.

    Frames take pandas (the extra `frames`). Raises InputError for a file that is no database of evals.
    """
    from runner.frames import open_frames

    return open_frames(path)
