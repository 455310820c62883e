"""What reports compute of large runs, computed once: kept in the database until a row changes."""

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TypeVar

import msgspec

from runner.storage.kept_figures import changes, keep_figures, kept_figures, scorings_of
from runner.storage.schema import MIGRATIONS
from runner.storage.store import Row, Store

FormT = TypeVar("FormT")

# Figures of fewer scorings are computed within two seconds.
LARGE = 20_000
# Whose code computes the figures.
_PACKAGES = ("runner.report", "runner.stats")


def kept(
    store: Store, run: Row, part: str, form: type[FormT], compute: Callable[[], FormT], package: str = ""
) -> FormT:
    """Return a part of the figures of a run: as it was kept, else computed, and kept where the run is large and done.

    `form` is a type that msgspec reads and writes without loss. What another version of the code kept is computed
    again, and so is what does not fit; `package` is where it is, beside the packages of all reports.
    """
    if run["state"] == "running" or scorings_of(store, run) < LARGE:
        return compute()
    digest = _digest_of_code(package)
    content = kept_figures(store, run, part, digest)
    if content is not None:
        try:
            return msgspec.msgpack.decode(content, type=form)
        except msgspec.DecodeError:
            pass
    seen = changes(store)
    figures = compute()
    keep_figures(store, run, part, digest, msgspec.msgpack.encode(figures), seen)
    return figures


@cache
def _digest_of_code(package: str) -> str:
    """Return a digest of all that figures follow from beside the rows."""
    digest = sha256(repr([*MIGRATIONS]).encode())
    for name in filter(None, (*_PACKAGES, package)):
        for file in sorted(files(name).iterdir(), key=lambda file: file.name):
            if file.name.endswith(".py"):
                digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
