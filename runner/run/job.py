"""The session of a run as a command makes it: under its pace and budget, with progress shown, to a stated end."""

import asyncio
import gc
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from typing import Any

from runner.console import say
from runner.prices import Prices
from runner.run.budget import Budget, spending
from runner.run.call_context import CallContext, Retries
from runner.run.drain import Drain
from runner.run.engine import Lane
from runner.run.pace import Deadlines
from runner.run.plan import Plan
from runner.run.progress import Progress, SpendingLimits
from runner.run.protocols import AsksElsewhere
from runner.run.session import INTERRUPTED, Session, SessionEnd, run_session
from runner.run.session_record import SessionRecord, say_end
from runner.run.suite import Attempts, Prepared
from runner.run.windows import set_aside_too_long, windows_of
from runner.storage.store import Store


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
    record = SessionRecord.begin(store, run_id, job.lanes)
    try:
        with _rare_garbage_collection():
            end = asyncio.run(_session(job, record))
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


async def _session(job: Job, record: SessionRecord) -> SessionEnd:
    options, attempts = job.plan.options, job.attempts
    pace = options.pace(attempts.waiting).within(job.plan.at_once, job.plan.server_slots)
    spent = spending(record.store, record.run_id)
    limits = pace.limits(time.monotonic, say, job.plan.preflight)
    deadlines = pace.deadlines.at_least(attempts.answer_s)
    elsewhere = _elsewhere(job.plan, record, limits.drain, deadlines)
    context = CallContext(
        ledger=record.ledger,
        limits=limits,
        budget=Budget(pace.budget_usd, spent.usd + job.prepared.spent_usd, factors=spent.factors),
        prices=job.prices,
        now_ns=time.monotonic_ns,
        say=say,
        deadlines=deadlines,
        truth=attempts.truth,
        gaps=record.heartbeat,
        elsewhere=elsewhere,
        # Batches take hours: how long a question has waited says nothing.
        retries=Retries(tries=3, within_s=inf) if options.batch_api else Retries(),
    )
    windows = windows_of(attempts.suts, job.plan.servers, job.prices)
    if windows:
        await set_aside_too_long(job.lanes, attempts.attempt, attempts.suts, windows, say)
    simulated = frozenset(sut.name for sut in attempts.suts if sut.endpoint.simulated)
    progress = Progress(
        job.lanes,
        context.limits.slots,
        spending=SpendingLimits(simulated, context.budget.spent_usd, pace.budget_usd),
        limits=context.limits.describe,
        verbose=options.verbose,
    )
    session = Session(job.lanes, attempts.attempt, attempts.suts, attempts.parser, pace.attempts, attempts.parsers)
    with progress.display(quiet=options.quiet), record.heartbeat.beating():
        return await run_session(session, context, progress)


def _elsewhere(plan: Plan[Any], record: SessionRecord, drain: Drain, deadlines: Deadlines) -> AsksElsewhere | None:
    """Return what asks in place of this process; None where it asks itself."""
    if plan.options.batch_api:
        return record.collector(plan.options.poll_s, drain)
    if plan.caller is None:
        return None
    from runner.run.elsewhere import AskedElsewhere

    return AskedElsewhere(plan.caller, plan.options, deadlines)


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
