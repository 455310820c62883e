"""Why answers to Codev-Bench's tasks are not replayed."""

from contextlib import AbstractContextManager

from runner.errors import InputError
from runner.run.suite import ReplayOptions, Rescoring, Say
from runner.storage.store import Row, Store


def replay(_store: Store, source: Row, _options: ReplayOptions, _say: Say) -> AbstractContextManager[Rescoring]:
    """Raise InputError: the original reads answers in one way."""
    raise InputError(
        f"run {source['run_id']}: Codev-Bench reads answers in one way; to check the predictions that were written"
        " again, give them to `evals completion codev --predictions`"
    )
