"""Replays of runs about pairs of edits: there are none, for a relation is read in one way only."""

from contextlib import AbstractContextManager

from runner.errors import InputError
from runner.run.suite import ReplayOptions, Rescoring, Say
from runner.storage.store import Row, Store


def replay(_store: Store, source: Row, _options: ReplayOptions, _say: Say) -> AbstractContextManager[Rescoring]:
    """Raise InputError: there is one way to read a relation."""
    raise InputError(f"run {source['run_id']}: its answers are relations of edits, which are read in one way only")
