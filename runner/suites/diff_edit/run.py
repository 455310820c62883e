"""Running a plan of `evals diff`: announce, ask once before money is spent, fill the lanes, say how it went."""

import asyncio
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from runner.ask import Desk
from runner.budget import Budget, spent_usd
from runner.console import say
from runner.engine import Lane
from runner.environment import environment
from runner.errors import InputError
from runner.ledger import Ledger
from runner.limits import Limits, Rates
from runner.prices import Price, Prices, Rate, load_prices
from runner.progress import Progress
from runner.records import Result
from runner.report.locally import make_folder, save_cases
from runner.runs import begin, choose_run, finish, resume_lanes, utc_now
from runner.session import Attempt, Session, SessionEnd, lane_keys, run_session
from runner.store import Store
from runner.suites.diff_edit.announce import announcement
from runner.suites.diff_edit.cases import DiffEditCase
from runner.suites.diff_edit.plan import DiffOptions, DiffPlan, make_plan
from runner.suites.diff_edit.suite import DiffEdit, truths_of
from runner.suites.suite import Ask
from runner.tokens import token_counter
from suts.recorded import Recorded
from suts.registry import resolve
from suts.settings import Settings
from suts.simulated.usage import SIM_PRICES
from suts.sut import Sut


@dataclass(frozen=True, slots=True)
class Done:
    """How the command ended; `run_id` is "" when nothing was run."""

    exit_code: int
    run_id: str = ""


def run_diff(options: DiffOptions) -> Done:
    """Plan, announce, run. Raises InputError before anything is written or sent."""
    settings = Settings(
        provider=options.provider,
        base_url=options.base_url,
        environment=environment(Path.cwd(), os.environ),
        seed=options.seed,
    )
    plan = make_plan(
        options,
        lambda model: resolve(model, settings),
        _recorded,
        token_counter(exact=options.max_context is not None),
        say,
    )
    prices = load_prices(options.prices, sim_prices())
    _refuse_unpriced(plan, prices)
    run_id = "" if options.dry_run else _prepare(plan)
    for line in announcement(plan, prices):
        say(line)
    if options.dry_run:
        return Done(0)
    if not (options.yes or _agreed(plan)):
        say("nothing was asked")
        return Done(0)
    store = Store.open(options.db)
    try:
        return _run(plan, store, run_id, prices)
    finally:
        store.close()


def _prepare(plan: DiffPlan) -> str:
    """The run's id, once its results are sure to find their place."""
    options = plan.options
    run_id = choose_run(options.db, plan.run, options.run_id, options.resume)
    if options.save_locally is not None:
        make_folder(options.save_locally)
    return run_id


def _run(plan: DiffPlan, store: Store, run_id: str, prices: Prices) -> Done:
    options = plan.options
    lanes = _lanes(plan)
    if begin(store, run_id, plan.run, utc_now()):
        resume_lanes(store, run_id, lanes)
        say(f"run {run_id} goes on: {sum(lane.valid for lane in lanes)} valid attempts are there")
    else:
        say(f"run {run_id} in {options.db}")
    try:
        end = asyncio.run(_session(plan, store, run_id, lanes, prices))
    except asyncio.CancelledError:
        finish(store, run_id, utc_now(), complete=False)
        say(f"stopped; go on with: --run-id {run_id}")
        return Done(130)
    finish(store, run_id, utc_now(), complete=end.complete)
    _say_end(end, lanes, run_id)
    if options.save_locally is not None:
        save_cases(store, run_id, options.save_locally)
    return Done(end.exit_code, run_id)


async def _session(plan: DiffPlan, store: Store, run_id: str, lanes: list[Lane], prices: Prices) -> SessionEnd:
    options = plan.options
    ledger = Ledger(store, run_id, utc_now)
    rates = Rates(options.max_concurrency or (None if options.parallel else 1), options.rpm, options.tpm)
    budget = Budget(options.budget_usd, spent_usd(store, run_id))
    limits = Limits(rates, options.slots, time.monotonic, say)
    desk = Desk(ledger, limits, budget, prices, time.monotonic_ns, say, options.deadlines)
    progress = Progress(lanes, options.slots, verbose=options.verbose)
    session = Session(lanes, _attempts(plan), plan.suts, plan.parser.thing, options.slots)
    with progress.shown(quiet=options.quiet):
        return await run_session(session, desk, progress)


def _refuse_unpriced(plan: DiffPlan, prices: Prices) -> None:
    """A cap on cost needs to know what a call can cost."""
    if plan.options.budget_usd is None:
        return
    for sut in plan.suts:
        if sut.endpoint.timed and prices.of(sut.name) is None:
            raise InputError(f"--budget: the price of {sut.name} is unknown; add it to a table and give it as --prices")


def _lanes(plan: DiffPlan) -> list[Lane]:
    quota = 1 if plan.options.recorded else plan.options.quota
    keys = lane_keys(
        [sut.name for sut in plan.suts], [prompt.name for prompt in plan.prompts], [case.case_id for case in plan.cases]
    )
    return [Lane(key, quota, plan.options.most_attempts) for key in keys]


def _attempts(plan: DiffPlan) -> Attempt:
    truths = truths_of(plan.cases) if any(sut.endpoint.simulated for sut in plan.suts) else {}
    suites = {
        prompt.name: DiffEdit(prompt, plan.parser, plan.algorithms, plan.sampling, plan.validity, truths)
        for prompt in plan.prompts
    }
    cases = {case.case_id: case for case in plan.cases}

    async def attempt(lane: Lane, ask: Ask, number: int) -> Result:
        return await suites[lane.key.prompt].attempt(cases[lane.key.case_id], ask, number)

    return attempt


def _recorded(cases: tuple[DiffEditCase, ...]) -> Sut:
    return Recorded({case.messages: case.original_message for case in cases})


def sim_prices() -> dict[str, Price]:
    """The fictional prices of the simulated models, for the price table."""
    return {
        f"sim/{name}": Price(Rate(price.input, price.output, price.cache_read, price.cache_write))
        for name, price in SIM_PRICES.items()
    }


def _agreed(plan: DiffPlan) -> bool:
    """Ask once before money may be spent, where there is somebody to ask."""
    paid = any(sut.endpoint.timed and not sut.endpoint.simulated for sut in plan.suts)
    if not paid or not sys.stdin.isatty():
        return True
    say("this may cost money; go on? [y/N]")
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _say_end(end: SessionEnd, lanes: list[Lane], run_id: str) -> None:
    reasons = {lane.abandoned: lane for lane in lanes if lane.abandoned}
    for reason, lane in reasons.items():
        more = sum(other.abandoned == reason for other in lanes) - 1
        say(f"given up: {lane.key.case_id} of {lane.key.sut}{f' and {more} more' if more else ''}: {reason}")
    if not end.complete:
        say(f"incomplete; go on with the same command and --run-id {run_id}")
