"""The session of a run as a command makes it: under its pace and budget, with progress shown."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from runner.console import say
from runner.prices import Prices
from runner.run.asked_by import elsewhere_of
from runner.run.budget import Budget, spending
from runner.run.call_context import CallContext, Retries
from runner.run.engine import Lane
from runner.run.plan import Plan
from runner.run.progress import Progress, SpendingLimits
from runner.run.session import Session, SessionEnd, run_session
from runner.run.session_record import SessionRecord
from runner.run.suite import Attempts, Prepared
from runner.run.windows import set_aside_too_long, windows_of


@dataclass(frozen=True, slots=True)
class Job:
    """All that a session needs beside its database."""

    plan: Plan[Any]
    prepared: Prepared
    attempts: Attempts
    lanes: Sequence[Lane]
    prices: Prices


async def held_session(job: Job, record: SessionRecord) -> SessionEnd:
    """Fill the lanes, as far as limits, budget and interrupts let it."""
    options, attempts = job.plan.options, job.attempts
    pace = options.pace(attempts.waiting).within(job.plan.at_once, job.plan.server_slots)
    spent = spending(record.store, record.run_id)
    limits = pace.limits(time.monotonic, say, job.plan.preflight)
    deadlines = pace.deadlines.at_least(attempts.answer_s)
    elsewhere = elsewhere_of(job.plan, record, limits.drain, deadlines)
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
