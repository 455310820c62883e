"""Runs the session of a command to a stated end, with an exit code."""

import asyncio
import gc
from collections.abc import Iterator
from contextlib import contextmanager

from runner.console import say
from runner.run.job import Job, held_session
from runner.run.session import INTERRUPTED
from runner.run.session_record import SessionRecord, say_end
from runner.storage.store import Store

__all__ = ["Job", "run_job"]


def run_job(job: Job, store: Store, run_id: str) -> int:
    """Fill the lanes and return the exit code. A session that ends early leaves a run that can be resumed."""
    record = SessionRecord.begin(store, run_id, job.lanes)
    try:
        with _rare_garbage_collection():
            end = asyncio.run(held_session(job, record))
    except (asyncio.CancelledError, SystemExit) as ended:
        record.put_end(complete=False)
        say(f"stopped; resume with: --run-id {run_id}")
        if isinstance(ended, SystemExit):
            # A signal to end, which has an exit code of its own.
            raise
        return INTERRUPTED
    end = record.end(end)
    say_end(end, job.lanes)
    return end.exit_code


@contextmanager
def _rare_garbage_collection() -> Iterator[None]:
    """Search for cyclic garbage rarely: attempts leave none, and what is loaded by now stays until the run ends.

    The searches cost a tenth of the client's CPU time otherwise.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
