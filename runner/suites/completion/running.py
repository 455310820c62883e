"""Running `evals completion run`: plan, announce, ask once before money is spent, fill the lanes, judge beside."""

from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from runner.console import say
from runner.errors import InputError
from runner.execution.repository_judge import Judge
from runner.execution.verdicts import Known
from runner.prices import Prices, load_prices
from runner.records import Result
from runner.run.engine import Lane
from runner.run.launch import Job, agreed, launch, refuse_unpriced, sim_prices
from runner.run.protocols import Ask, Attempt
from runner.run.verdict_cache import forget_infra, judged_code, remembered
from runner.storage.runs import RunPlan, choose_run
from runner.storage.store import Store
from runner.suites.completion.attempt import SUITE, Completion
from runner.suites.completion.dataset import Dataset, Task, read_dataset
from runner.suites.completion.expected_counts import Planted, planted
from runner.suites.completion.options import CompletionOptions
from runner.suites.completion.plan import CompletionPlan, make_plan, run_plan
from runner.suites.completion.score import Judging
from runner.suites.completion.sim_truth import hole_of
from runner.suites.completion.validate import refuse_other_files
from runner.tokens import token_counter
from suts.sut import Hole

_INTERRUPTED = 130
JudgeOf = Callable[[Path, Known], AbstractContextManager[Judge]]


class _HoleOf(Protocol):
    def __call__(self, task: Task, *, fenced: bool) -> Hole: ...


@dataclass(frozen=True, slots=True)
class Done:
    """How the command ended; `run_id` is "" when nothing was run. `planted` has what simulated models had to show."""

    exit_code: int
    run_id: str = ""
    planted: tuple[Planted, ...] = ()


@dataclass(frozen=True, slots=True)
class _Ready:
    """All that a session needs beside its database."""

    plan: CompletionPlan
    run: RunPlan
    judge: Judge
    prices: Prices


def run_completion(options: CompletionOptions, judge_of: JudgeOf) -> Done:
    """Plan, announce, run. Raises InputError before anything is written or sent."""
    dataset = read_dataset(options.file)
    counter = token_counter(exact=options.max_context is not None)
    plan = make_plan(options, dataset, options.builder, counter, say)
    prices = load_prices(options.prices, sim_prices())
    refuse_unpriced(plan.suts, prices, options.budget_usd)
    _announce(plan)
    if options.dry_run:
        return Done(0)
    repo = _repository(options, dataset)
    with judge_of(repo, _known(options.db)) as judge:
        refuse_other_files(judge, dataset)
        run = run_plan(plan, repo, judge.tree)
        run_id = choose_run(options.db, run, options.run_id, options.resume)
        if not (options.yes or agreed(plan.suts)):
            say("nothing was asked")
            return Done(0)
        with closing(Store.open(options.db)) as store:
            forget_infra(store, run_id)
            return _run(_Ready(plan, run, judge, prices), store, run_id)


def _known(db: Path) -> Known:
    """What the database knows of verdicts, where there is one."""
    if not db.exists():
        return Known()
    with closing(Store.open(db, create=False)) as store:
        return remembered(store, SUITE)


def _repository(options: CompletionOptions, dataset: Dataset) -> Path:
    """The repository as told, else the folder of its name beside the data set."""
    if options.repo is not None:
        return options.repo
    beside = options.file.parent / dataset.about.repo
    if str(options.file) == "-" or not dataset.about.repo or not beside.is_dir():
        raise InputError(f"--repo: is missing, and there is no {beside}; give the root of {dataset.about.repo}")
    return beside


def _announce(plan: CompletionPlan) -> None:
    options, cut = plan.options, sum(any(seen.cut for seen in case.seen.values()) for case in plan.cases)
    attempts = len(plan.suts) * len(plan.forms) * len(plan.cases) * options.quota
    longest = max(plan.tokens.values())
    say(
        f"{len(plan.cases)} tasks x {len(plan.suts)} models x {len(plan.forms)} prompts x {options.quota} samples"
        f" = {attempts} answers, each taken by {', '.join(chain.name for chain in plan.chains)}"
    )
    say(f"the longest question has {longest} tokens ({plan.counter.method}); {cut} are cut around the cursor")
    for reason in sorted(set(plan.skipped.values())):
        say(f"not asked: {sum(one == reason for one in plan.skipped.values())} tasks: {reason}")


def _run(ready: _Ready, store: Store, run_id: str) -> Done:
    plan, options = ready.plan, ready.plan.options
    holes = _holes(plan, ready.judge)
    with Judging(ready.judge, plan.dataset, options.workers) as judging:
        job = Job(
            plan=ready.run,
            lanes=plan.lanes(),
            attempt=_attempts(plan, judging, holes),
            suts=plan.suts,
            parser=None,
            prices=ready.prices,
            # Answers that wait for their verdict must not keep others from being asked.
            pace=options.pace(judged=2 * options.workers),
            quiet=options.quiet,
            verbose=options.verbose,
        )
        code = judged_code(store, run_id, launch(job, store, run_id))
    return Done(code, "" if code == _INTERRUPTED else run_id, _planted(plan, holes))


def _holes(plan: CompletionPlan, judge: Judge) -> _HoleOf:
    """What simulated models are told, found out once for each task."""
    known: dict[tuple[str, bool], Hole] = {}

    def holes(task: Task, *, fenced: bool) -> Hole:
        key = (task.task_id, fenced)
        if key not in known:
            known[key] = hole_of(plan.dataset, task, judge.flaw, fenced=fenced)
        return known[key]

    return holes


def _attempts(plan: CompletionPlan, judging: Judging, holes: _HoleOf) -> Attempt:
    simulated = any(sut.endpoint.simulated for sut in plan.suts)
    suites = {
        form.name: Completion(
            plan.dataset,
            form,
            plan.chains,
            plan.options.sampling,
            judging,
            partial(holes, fenced=not form.raw) if simulated else None,
        )
        for form in plan.forms
    }
    cases = {case.case_id: case for case in plan.cases}

    async def attempt(lane: Lane, ask: Ask, number: int) -> Result:
        return await suites[lane.key.prompt].attempt(cases[lane.key.case_id], ask, number)

    return attempt


def _planted(plan: CompletionPlan, holes: _HoleOf) -> tuple[Planted, ...]:
    tasks = [case.task for case in plan.cases]
    told = (plan.options.seed, plan.options.quota)
    return tuple(
        planted(sut, form.name, tasks, partial(holes, fenced=not form.raw), told)
        for sut in plan.suts
        for form in plan.forms
        if sut.endpoint.in_process
    )
