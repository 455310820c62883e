"""The one way from options to a finished run, for every suite: plan, preview, consent, prepare, fill the lanes."""

import asyncio
import gc
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from runner.console import say
from runner.prices import Price, Prices, Rate, load_prices
from runner.report.local_files import make_folder, save_cases
from runner.run.ask import CallContext
from runner.run.budget import Budget, spent_usd
from runner.run.consent import confirm_paid_run, needs_consent, refuse_unpriced, simulated_prices
from runner.run.engine import Lane
from runner.run.expected_counts import ExpectedCounts, expected_of
from runner.run.lanes import resume_lanes
from runner.run.limits import CallLimits
from runner.run.options import AskOptions, check_asking
from runner.run.plan import Plan
from runner.run.preview import Preview, preview_of
from runner.run.progress import Progress
from runner.run.redaction import short_key_warning
from runner.run.session import Session, SessionEnd, run_session
from runner.run.suite import Attempts, NotReadyError, Prepared, Suite
from runner.run.verdict_cache import forget_infra, judged_code
from runner.storage.ledger import Ledger
from runner.storage.run_lock import claimed
from runner.storage.runs import begin, choose_run, finish, utc_now
from runner.storage.store import Store

OptionsT = TypeVar("OptionsT", bound=AskOptions)
DetailT = TypeVar("DetailT")

INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Executed(Generic[DetailT]):
    """How a command ended: `run_id` is "" if no model was asked; `expected` is for simulated models."""

    exit_code: int
    plan: Plan[DetailT]
    preview: Preview
    run_id: str = ""
    expected: tuple[ExpectedCounts, ...] = ()


def execute(suite: Suite[OptionsT, DetailT], options: OptionsT) -> Executed[DetailT]:
    """Run a suite's command. Raises InputError before anything is written or sent."""
    check_asking(options)
    plan = suite.plan(options, say)
    prices = load_prices(options.prices, {**simulated_prices(), **dict.fromkeys(plan.local, _FREE)})
    refuse_unpriced(plan.all_suts, prices, options.budget)
    preview = preview_of(plan, prices)
    consent = not options.dry_run and not options.yes and needs_consent(plan.all_suts)
    if options.dry_run or consent:
        _show(preview)
    if options.dry_run:
        return Executed(0, plan, preview)
    if consent and not confirm_paid_run():
        say("cancelled; no model was asked")
        return Executed(0, plan, preview)
    try:
        with suite.attempt(plan, say) as prepared:
            return _run_plan(plan, prepared, prices, preview, preview_is_shown=consent)
    except NotReadyError as error:
        return Executed(error.exit_code, plan, preview)


def _run_plan(
    plan: Plan[DetailT], prepared: Prepared, prices: Prices, preview: Preview, *, preview_is_shown: bool
) -> Executed[DetailT]:
    """Start or resume the run, with the open judges and predictors."""
    options = plan.options
    run_id = choose_run(options.db, prepared.run, options.run_id, options.resume)
    if options.save_locally is not None:
        make_folder(options.save_locally)
    if not preview_is_shown:
        # All options are checked by now, so an error message never follows the preview.
        _show(preview)
    with closing(Store.open(options.db)) as store, claimed(store.path, run_id):
        code, expected = _fill(plan, prepared, prices, store, run_id)
        if code == INTERRUPTED:
            return Executed(code, plan, preview)
        if options.save_locally is not None:
            save_cases(store, run_id, options.save_locally)
    return Executed(code, plan, preview, run_id, expected)


def _show(preview: Preview) -> None:
    for line in preview.lines():
        say(line)


_FREE = Price(Rate(0.0, 0.0))


def _fill(
    plan: Plan[DetailT], prepared: Prepared, prices: Prices, store: Store, run_id: str
) -> tuple[int, tuple[ExpectedCounts, ...]]:
    """Start or resume the run; return the exit code and the results expected of simulated models."""
    lanes = [Lane(key, plan.quota, plan.cap) for key in plan.lanes]
    forget_infra(store, run_id)
    resume_lanes(store, run_id, lanes)
    attempts = prepared.begin(lanes)
    if begin(store, run_id, attempts.run or prepared.run, utc_now()):
        say(f"run {run_id} resumes with {sum(lane.valid for lane in lanes)} valid attempts")
    else:
        say(f"run {run_id} in {store.path}")
    if warning := short_key_warning(attempts.suts):
        say(warning)
    code = judged_code(store, run_id, _run(_Job(plan, prepared, attempts, lanes, prices), store, run_id))
    if attempts.truth is None or not attempts.predictable:
        return code, ()
    tested = [lane for lane in plan.lanes if lane.case_id not in attempts.untested]
    return code, tuple(expected_of(attempts.suts, tested, attempts.truth, plan.quota, plan.cap))


@dataclass(frozen=True, slots=True)
class _Job:
    """All that a session needs beside its database."""

    plan: Plan[Any]
    prepared: Prepared
    attempts: Attempts
    lanes: Sequence[Lane]
    prices: Prices


def _run(job: _Job, store: Store, run_id: str) -> int:
    """Fill the lanes and return the exit code. A session that ends early leaves a run that can be resumed."""
    try:
        with _rare_garbage_collection():
            end = asyncio.run(_session(job, store, run_id))
    except (asyncio.CancelledError, SystemExit) as ended:
        finish(store, run_id, utc_now(), complete=False)
        say(f"stopped; resume with: --run-id {run_id}")
        if isinstance(ended, SystemExit):
            # A signal, which has its own exit code.
            raise
        return INTERRUPTED
    finish(store, run_id, utc_now(), complete=end.complete)
    _say_end(end, job.lanes, run_id)
    return end.exit_code


async def _session(job: _Job, store: Store, run_id: str) -> SessionEnd:
    options, attempts = job.plan.options, job.attempts
    pace = options.pace(attempts.waiting)
    spent = spent_usd(store, run_id) + job.prepared.spent_usd
    context = CallContext(
        ledger=Ledger(store, run_id, utc_now),
        limits=CallLimits(pace.rates, pace.slots, time.monotonic, say),
        budget=Budget(pace.budget_usd, spent),
        prices=job.prices,
        now_ns=time.monotonic_ns,
        say=say,
        deadlines=pace.deadlines.at_least(attempts.answer_s),
        truth=attempts.truth,
    )
    progress = Progress(job.lanes, pace.slots, limits=context.limits.describe, verbose=options.verbose)
    session = Session(job.lanes, attempts.attempt, attempts.suts, attempts.parser, pace.slots)
    with progress.display(quiet=options.quiet):
        return await run_session(session, context, progress)


@contextmanager
def _rare_garbage_collection() -> Iterator[None]:
    """Search for cyclic garbage rarely: attempts leave none, and what is loaded by now stays until the run ends.

    Frequent searches cost a tenth of the client's CPU time.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def _say_end(end: SessionEnd, lanes: Sequence[Lane], run_id: str) -> None:
    reasons = {lane.abandoned: lane for lane in lanes if lane.abandoned}
    for reason, lane in reasons.items():
        more = sum(other.abandoned == reason for other in lanes) - 1
        say(f"given up: {lane.key.case_id} of {lane.key.sut}{f' and {more} more' if more else ''}: {reason}")
    if not end.complete:
        say(f"incomplete; resume with the same command and --run-id {run_id}")
