"""Arrays kept on disk between trainings, under a name that changes with all that they depend on."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from importlib.resources import files
from pathlib import Path

import numpy as np
import numpy.typing as npt

Arrays = Mapping[str, npt.NDArray[np.generic]]


def cached(folder: Path | None, parts: Iterable[object], make: Callable[[], Arrays]) -> Arrays:
    """What `make` returns, read from `folder` if it is there already; without a folder it is made each time.

    The name is a digest of the parts (arrays by their bytes) and of the sources of the ranker and its training.
    """
    if folder is None:
        return make()
    path = folder / f"{_digest(parts)}.npz"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        arrays = make()
        unfinished = path.with_suffix(".part.npz")
        np.savez(unfinished, allow_pickle=False, **arrays)
        unfinished.replace(path)
        return arrays
    with np.load(path, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def _digest(parts: Iterable[object]) -> str:
    digest = hashlib.sha256()
    for package in ("runner.suites.codrep.ranker", "runner.suites.codrep.training"):
        for source in sorted(files(package).iterdir(), key=lambda file: file.name):
            if source.name.endswith(".py"):
                digest.update(source.read_bytes())
    for part in parts:
        digest.update(part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode())
        digest.update(b"\0")
    return digest.hexdigest()[:32]
