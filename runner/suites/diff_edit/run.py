"""Running a plan of `evals diff`: announce, ask once before money is spent, fill the lanes, say how it went."""

from runner.console import say
from runner.prices import Prices, load_prices
from runner.records import Result
from runner.report.local_files import make_folder, save_cases
from runner.run.diff_scoring import Scorer, prepare_scoring, score_answer
from runner.run.engine import Lane
from runner.run.launch import Done, Job, agreed, launch, refuse_unpriced, sim_prices
from runner.run.session import Attempt, lane_keys
from runner.run.suite import Ask
from runner.storage.runs import choose_run
from runner.storage.store import Store
from runner.suites.diff_edit.attempt import DiffEdit, truths_of
from runner.suites.diff_edit.cases import DiffEditCase
from runner.suites.diff_edit.plan import DiffOptions, DiffPlan, make_plan
from runner.suites.diff_edit.preview import announcement
from runner.tokens import token_counter
from suts.recorded import Recorded
from suts.sut import Sut

_INTERRUPTED = 130


def run_diff(options: DiffOptions) -> Done:
    """Plan, announce, run. Raises InputError before anything is written or sent."""
    plan = make_plan(
        options,
        options.builder,
        _recorded,
        token_counter(exact=options.max_context is not None),
        say,
    )
    prices = load_prices(options.prices, sim_prices())
    refuse_unpriced(plan.suts, prices, options.budget_usd)
    run_id = "" if options.dry_run else _prepare(plan)
    for line in announcement(plan, prices):
        say(line)
    if options.dry_run:
        return Done(0)
    if not (options.yes or agreed(plan.suts)):
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
    job = Job(
        plan=plan.run,
        lanes=lanes_of(plan),
        attempt=attempts_of(plan),
        suts=plan.suts,
        parser=plan.parser.thing,
        prices=prices,
        pace=options.pace(),
        quiet=options.quiet,
        verbose=options.verbose,
    )
    code = launch(job, store, run_id)
    if code == _INTERRUPTED:
        return Done(code)
    if options.save_locally is not None:
        save_cases(store, run_id, options.save_locally)
    return Done(code, run_id)


def lanes_of(plan: DiffPlan) -> list[Lane]:
    """The lanes that the plan is to fill."""
    quota = 1 if plan.options.recorded else plan.options.quota
    keys = lane_keys(
        [sut.name for sut in plan.suts], [prompt.name for prompt in plan.prompts], [case.case_id for case in plan.cases]
    )
    return [Lane(key, quota, plan.options.most_attempts) for key in keys]


def attempts_of(plan: DiffPlan, score: Scorer = score_answer) -> Attempt:
    """How one attempt of the plan is made and scored; loads what scoring takes."""
    prepare_scoring(plan.cases)
    truths = truths_of(plan.cases) if any(sut.endpoint.simulated for sut in plan.suts) else {}
    suites = {
        prompt.name: DiffEdit(
            prompt, plan.parser, plan.algorithms, plan.options.sampling, plan.validity, truths, score=score
        )
        for prompt in plan.prompts
    }
    cases = {case.case_id: case for case in plan.cases}

    async def attempt(lane: Lane, ask: Ask, number: int) -> Result:
        return await suites[lane.key.prompt].attempt(cases[lane.key.case_id], ask, number)

    return attempt


def _recorded(cases: tuple[DiffEditCase, ...]) -> Sut:
    return Recorded({case.messages: case.original_message for case in cases})
