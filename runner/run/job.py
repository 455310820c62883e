"""The session of a run as a command makes it: under its pace and budget, with progress shown, to a stated end."""

import asyncio
import gc
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from runner.console import say
from runner.prices import Prices
from runner.run.ask import CallContext
from runner.run.budget import Budget, spent_usd
from runner.run.engine import Lane
from runner.run.plan import Plan
from runner.run.progress import Progress, Spending
from runner.run.session import Session, SessionEnd, run_session
from runner.run.suite import Attempts, Prepared
from runner.storage.ledger import Ledger
from runner.storage.runs import finish, utc_now
from runner.storage.store import Store

INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Job:
    """All that a session needs beside its database."""

    plan: Plan[Any]
    prepared: Prepared
    attempts: Attempts
    lanes: Sequence[Lane]
    prices: Prices


def run_job(job: Job, store: Store, run_id: str) -> int:
    """Fill the lanes and return the exit code. A session that ends early leaves a run that can be resumed."""
    try:
        with _rare_garbage_collection():
            end = asyncio.run(_session(job, store, run_id))
    except (asyncio.CancelledError, SystemExit) as ended:
        finish(store, run_id, utc_now(), complete=False)
        say(f"stopped; resume with: --run-id {run_id}")
        if isinstance(ended, SystemExit):
            # A signal to end, which has an exit code of its own.
            raise
        return INTERRUPTED
    finish(store, run_id, utc_now(), complete=end.complete)
    _say_given_up(job.lanes)
    return end.exit_code


async def _session(job: Job, store: Store, run_id: str) -> SessionEnd:
    options, attempts = job.plan.options, job.attempts
    pace = options.pace(attempts.waiting)
    spent = spent_usd(store, run_id) + job.prepared.spent_usd
    context = CallContext(
        ledger=Ledger(store, run_id, utc_now),
        limits=pace.limits(time.monotonic, say),
        budget=Budget(pace.budget_usd, spent),
        prices=job.prices,
        now_ns=time.monotonic_ns,
        say=say,
        deadlines=pace.deadlines.at_least(attempts.answer_s),
        truth=attempts.truth,
    )
    progress = Progress(
        job.lanes,
        pace.slots,
        spending=Spending(
            frozenset(sut.name for sut in attempts.suts if sut.endpoint.simulated), spent, pace.budget_usd
        ),
        limits=context.limits.describe,
        verbose=options.verbose,
    )
    session = Session(job.lanes, attempts.attempt, attempts.suts, attempts.parser, pace.slots)
    with progress.display(quiet=options.quiet):
        return await run_session(session, context, progress)


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


def _say_given_up(lanes: Sequence[Lane]) -> None:
    reasons = {lane.abandoned: lane for lane in lanes if lane.abandoned}
    for reason, lane in reasons.items():
        more = sum(other.abandoned == reason for other in lanes) - 1
        say(f"given up: {lane.key.case_id} of {lane.key.sut}{f' and {more} more' if more else ''}: {reason}")
