"""Where the recorded vectors are, and what to do when they are not."""

import json
import lzma
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


def vectors(folder: str) -> Path:
    """The folder of recorded vectors; without it the test skips, or fails where CI=1."""
    root = Path(os.environ.get("EVALS_VECTORS") or Path(__file__).parents[1] / "../shared/vectors")
    path = root / folder
    if not path.is_dir():
        message = f"no vectors in {path}: set EVALS_VECTORS to the folder that holds {folder}/"
        if os.environ.get("CI") == "1":
            pytest.fail(message)
        pytest.skip(message)
    return path


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file of JSON lines, split at "\\n" only; `.xz` is unpacked."""
    data = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
    for line in data.split(b"\n"):
        if line:
            yield json.loads(line)


def files(folder: str, pattern: str) -> list[Path]:
    """The files of a form, in name order; none found skips, or fails where CI=1."""
    found = sorted(vectors(folder).glob(pattern))
    if not found:
        message = f"no {pattern} in {vectors(folder)}"
        if os.environ.get("CI") == "1":
            pytest.fail(message)
        pytest.skip(message)
    return found
