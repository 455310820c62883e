"""Running a plan of `evals codrep run`: announce, compute what needs no model, fill the lanes, say how it went."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing

from runner.console import say
from runner.prices import Price, Prices, Rate, load_prices
from runner.records import Result
from runner.run.engine import Lane
from runner.run.lanes import resume_lanes
from runner.run.launch import Done, Job, agreed, launch, refuse_unpriced, sim_prices
from runner.run.protocols import Ask, Attempt
from runner.storage.runs import choose_run
from runner.storage.store import Store
from runner.suites.codrep.attempt import Codrep
from runner.suites.codrep.cases import CodrepCase
from runner.suites.codrep.local import local_sut
from runner.suites.codrep.options import CodrepOptions
from runner.suites.codrep.plan import DETAILS, CodrepPlan, make_plan, run_plan
from runner.suites.codrep.predict import Choice
from runner.suites.codrep.preview import announcement
from runner.suites.codrep.showing import Room, Shown, windows_of
from runner.tokens import token_counter
from suts.sut import Sut

_INTERRUPTED = 130
_FREE = Price(Rate(0.0, 0.0))


def run_codrep(options: CodrepOptions) -> Done:
    """Plan, announce, run. Raises InputError before anything is written or sent."""
    plan = make_plan(options, options.builder, lambda: token_counter(exact=True), say)
    prices = load_prices(options.prices, {**sim_prices(), **dict.fromkeys(plan.predictors, _FREE)})
    refuse_unpriced(plan.models, prices, options.budget_usd)
    run_id = "" if options.dry_run else choose_run(options.db, run_plan(plan, {}), options.run_id, options.resume)
    lanes = _lanes(plan, run_id)
    shown = shown_of(plan, _left(lanes, plan.cases, [sut.name for sut in plan.models]))
    for line in announcement(plan, shown, prices):
        say(line)
    if options.dry_run:
        return Done(0)
    if not (options.yes or agreed(plan.models)):
        say("nothing was asked")
        return Done(0)
    job = _job(plan, shown, lanes, prices)
    with closing(Store.open(options.db)) as store:
        code = launch(job, store, run_id)
    return Done(code) if code == _INTERRUPTED else Done(code, run_id)


def _lanes(plan: CodrepPlan, run_id: str) -> list[Lane]:
    """The lanes, those of a run that goes on with what they have."""
    lanes = plan.lanes()
    if run_id and plan.options.db.exists():
        with closing(Store.open(plan.options.db, create=False)) as store:
            resume_lanes(store, run_id, lanes)
    return lanes


def _left(lanes: Iterable[Lane], cases: Sequence[CodrepCase], suts: Sequence[str]) -> tuple[CodrepCase, ...]:
    """The cases at which one of these systems has something left to do."""
    todo = {lane.key.case_id for lane in lanes if lane.key.sut in suts and lane.launchable}
    return tuple(case for case in cases if case.case_id in todo)


def shown_of(plan: CodrepPlan, cases: Sequence[CodrepCase]) -> dict[str, Shown]:
    """What models are shown of these cases, with room for the longest of the prompts."""
    if plan.counter is None:
        return {}
    longest = max(plan.counter.count(prompt.render(DETAILS)) for prompt in plan.prompts)
    return windows_of(cases, Room(plan.options.max_context, longest), plan.options.jobs)


def predictors_of(plan: CodrepPlan, lanes: Sequence[Lane]) -> list[Sut]:
    """The predictors with their answers to all that is left to do."""
    found: list[Sut] = []
    for name in plan.predictors:
        cases = _left(lanes, plan.cases, [name])
        if cases:
            say(f"{name}: predicting {len(cases)} tasks")
        found.append(local_sut(Choice(name, plan.options.seed), cases, plan.options.jobs))
    return found


def _job(plan: CodrepPlan, shown: Mapping[str, Shown], lanes: Sequence[Lane], prices: Prices) -> Job:
    options = plan.options
    return Job(
        plan=run_plan(plan, shown),
        lanes=lanes,
        attempt=attempts_of(plan, shown),
        suts=[*predictors_of(plan, lanes), *plan.models],
        parser=plan.parser.impl,
        prices=prices,
        pace=options.pace(),
        quiet=options.quiet,
        verbose=options.verbose,
    )


def attempts_of(plan: CodrepPlan, shown: Mapping[str, Shown]) -> Attempt:
    """How one attempt of the plan is made and scored."""
    windows = {case_id: one.window for case_id, one in shown.items()}
    suites = {
        prompt.name: Codrep(prompt.render(DETAILS), plan.parser, plan.options.sampling, windows)
        for prompt in plan.prompts
    }
    suites[""] = Codrep("", plan.parser, plan.options.sampling)
    cases = {case.case_id: case for case in plan.cases}

    async def attempt(lane: Lane, ask: Ask, number: int) -> Result:
        return await suites[lane.key.prompt].attempt(cases[lane.key.case_id], ask, number)

    return attempt
