"""From a plan to a finished session: what every suite's command does once it knows what is to be done."""

import asyncio
import gc
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from parsers.blocks import Parser
from runner.console import say
from runner.errors import InputError
from runner.prices import Price, Prices, Rate
from runner.run.ask import Deadlines, Desk
from runner.run.budget import Budget, spent_usd
from runner.run.engine import Lane
from runner.run.lanes import resume_lanes
from runner.run.limits import Limits, Rates
from runner.run.progress import Progress
from runner.run.session import Attempt, Session, SessionEnd, run_session
from runner.storage.ledger import Ledger
from runner.storage.run_lock import claimed
from runner.storage.runs import RunPlan, begin, finish, utc_now
from runner.storage.store import Store
from suts.simulated.usage import SIM_PRICES
from suts.sut import Sut


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a session may go, and how much it may cost: nothing here changes what a run is.

    `slots` is how many attempts may be under way at once, `budget_usd` the most that the run may cost.
    """

    slots: int = 1
    rates: Rates = field(default_factory=Rates)
    deadlines: Deadlines = field(default_factory=Deadlines)
    budget_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """A run that is ready to begin: what it is, whose quotas are to be filled, and how one attempt is made."""

    plan: RunPlan
    lanes: Sequence[Lane]
    attempt: Attempt
    suts: Sequence[Sut]
    parser: Parser | None
    prices: Prices
    pace: Pace
    quiet: bool = False
    verbose: bool = False


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended that may have made a run; `run_id` is "" when nothing was run, or it was broken off."""

    exit_code: int
    run_id: str = ""


def launch(job: Job, store: Store, run_id: str) -> int:
    """Begin the run or go on with it; the exit code. Raises InputError where another session is at work on it."""
    with claimed(store.path, run_id):
        return _launch(job, store, run_id)


def _launch(job: Job, store: Store, run_id: str) -> int:
    if begin(store, run_id, job.plan, utc_now()):
        resume_lanes(store, run_id, job.lanes)
        say(f"run {run_id} goes on: {sum(lane.valid for lane in job.lanes)} valid attempts are there")
    else:
        say(f"run {run_id} in {store.path}")
    try:
        with _seldom_collecting():
            end = asyncio.run(_session(job, store, run_id))
    except (asyncio.CancelledError, SystemExit) as ended:
        finish(store, run_id, utc_now(), complete=False)
        say(f"stopped; go on with: --run-id {run_id}")
        if isinstance(ended, SystemExit):
            # Told to end by a signal, which has an exit code of its own.
            raise
        return 130
    finish(store, run_id, utc_now(), complete=end.complete)
    _say_end(end, job.lanes, run_id)
    return end.exit_code


@contextmanager
def _seldom_collecting() -> Iterator[None]:
    """Look for cyclic garbage seldom: attempts leave none, and what is loaded by now stays to the end of the run.

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


async def _session(job: Job, store: Store, run_id: str) -> SessionEnd:
    pace = job.pace
    desk = Desk(
        ledger=Ledger(store, run_id, utc_now),
        limits=Limits(pace.rates, pace.slots, time.monotonic, say),
        budget=Budget(pace.budget_usd, spent_usd(store, run_id)),
        prices=job.prices,
        now_ns=time.monotonic_ns,
        say=say,
        deadlines=pace.deadlines,
    )
    progress = Progress(job.lanes, pace.slots, limits=desk.limits.describe, verbose=job.verbose)
    session = Session(job.lanes, job.attempt, job.suts, job.parser, pace.slots)
    with progress.shown(quiet=job.quiet):
        return await run_session(session, desk, progress)


def _say_end(end: SessionEnd, lanes: Sequence[Lane], run_id: str) -> None:
    reasons = {lane.abandoned: lane for lane in lanes if lane.abandoned}
    for reason, lane in reasons.items():
        more = sum(other.abandoned == reason for other in lanes) - 1
        say(f"given up: {lane.key.case_id} of {lane.key.sut}{f' and {more} more' if more else ''}: {reason}")
    if not end.complete:
        say(f"incomplete; go on with the same command and --run-id {run_id}")


def refuse_unpriced(suts: Sequence[Sut], prices: Prices, budget_usd: float | None) -> None:
    """A cap on cost needs to know what a call can cost. Raises InputError for a model of unknown price."""
    for sut in suts if budget_usd is not None else ():
        if sut.endpoint.timed and prices.of(sut.name) is None:
            raise InputError(f"--budget: the price of {sut.name} is unknown; add it to a table and give it as --prices")


def sim_prices() -> dict[str, Price]:
    """The fictional prices of the simulated models, for the price table."""
    return {
        f"sim/{name}": Price(Rate(price.input, price.output, price.cache_read, price.cache_write))
        for name, price in SIM_PRICES.items()
    }


def agreed(suts: Sequence[Sut]) -> bool:
    """Ask once before money may be spent, where there is somebody to ask."""
    paid = any(sut.endpoint.timed and not sut.endpoint.simulated for sut in suts)
    if not paid or not sys.stdin.isatty():
        return True
    say("this may cost money; go on? [y/N]")
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
