"""Running a plan of `evals edit run`: prove the problems, announce, ask once before money is spent, fill the lanes."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import gettempdir

from runner.console import say
from runner.execution import stale_dirs
from runner.execution.isolation import permitted
from runner.execution.script_commands import commands_of
from runner.execution.script_judge import LIMITS, Judge
from runner.execution.untrusted_files import remove
from runner.prices import Prices, load_prices
from runner.records import Result
from runner.run.diff_scoring import prepare_scoring
from runner.run.engine import Lane
from runner.run.launch import Job, agreed, launch, refuse_unpriced, sim_prices
from runner.run.preview import estimated, estimates, served
from runner.run.protocols import Ask, Attempt
from runner.run.session import lane_keys
from runner.run.verdict_cache import forget_infra, judged_code
from runner.storage.runs import choose_run
from runner.storage.store import Store
from runner.suites.edit.attempt import Bench, Edit
from runner.suites.edit.check import checked
from runner.suites.edit.expected_counts import Planted, planted
from runner.suites.edit.plan import EditOptions, EditPlan, check_options, make_plan
from runner.suites.edit.problems import EditProblem
from runner.suites.edit.question import question
from runner.suites.edit.score import edited_file
from runner.tokens import TokenCounter, token_counter

_INTERRUPTED = 130


class BadProblemsError(Exception):
    """Problems that cannot be used; `findings` has a line about each."""

    def __init__(self, findings: tuple[str, ...]) -> None:
        super().__init__(f"{len(findings)} problems cannot be used")
        self.findings = findings


@dataclass(frozen=True, slots=True)
class Done:
    """How the command ended; `run_id` is "" when nothing was run. `planted` has what simulated models had to show."""

    exit_code: int
    run_id: str = ""
    planted: tuple[Planted, ...] = ()


def judge_for(path: str, commands: tuple[str, ...], timeout: float, hidden: tuple[Path, ...], *, weak: bool) -> Judge:
    """The judge of this machine, whose programs are on `path`, for answers that may not see what is `hidden`.

    What a judge that was killed has left is removed. Raises InputError where no cell can be made, unless `weak`.
    """
    isolation = permitted(weak=weak)
    stale_dirs.sweep(Path(gettempdir()), remove)
    say(f"tests run in cells: {', '.join(isolation.means)}")
    limits = replace(LIMITS, wall_s=timeout, cpu_s=timeout + 2)
    return Judge(path, isolation, commands_of(commands), limits, hidden)


def run_edit(options: EditOptions) -> Done:
    """Plan, prove, announce, run. Raises InputError or BadProblemsError before anything is written or sent."""
    check_options(options)
    commands = commands_of(options.command)
    # A database is three files while it is written.
    hidden = (options.file, *(options.db.with_name(options.db.name + end) for end in ("", "-wal", "-shm")))
    judge = judge_for(options.path, options.command, options.timeout, hidden, weak=options.weak_sandbox)
    problems, findings = checked(options.file, judge, options.workers, options.max_problems)
    if findings:
        raise BadProblemsError(findings)
    plan = make_plan(options, commands, problems, options.builder, say)
    prices = load_prices(options.prices, sim_prices())
    refuse_unpriced(plan.suts, prices, options.budget_usd)
    run_id = "" if options.dry_run else choose_run(options.db, plan.run, options.run_id, options.resume)
    for line in announcement(plan, prices, token_counter(exact=False)):
        say(line)
    if options.dry_run:
        return Done(0)
    if not (options.yes or agreed(plan.suts)):
        say("nothing was asked")
        return Done(0)
    with closing(Store.open(options.db)) as store:
        forget_infra(store, run_id)
        return _run(plan, judge, store, run_id, prices)


def _run(plan: EditPlan, judge: Judge, store: Store, run_id: str, prices: Prices) -> Done:
    options = plan.options
    with ThreadPoolExecutor(options.workers) as executor:
        job = Job(
            plan=plan.run,
            lanes=lanes_of(plan),
            attempt=attempts_of(plan, Bench(judge, executor)),
            suts=plan.suts,
            parser=plan.parser,
            prices=prices,
            # Answers that wait for their verdict must not keep others from being asked.
            pace=options.pace(judged=2 * options.workers),
            quiet=options.quiet,
            verbose=options.verbose,
        )
        code = judged_code(store, run_id, launch(job, store, run_id))
    return Done(code) if code == _INTERRUPTED else Done(code, run_id, planted(plan))


def lanes_of(plan: EditPlan) -> list[Lane]:
    """The lanes that the plan is to fill."""
    keys = lane_keys(
        [sut.name for sut in plan.suts],
        [form.prompt.name for form in plan.forms],
        [problem.case_id for problem in plan.problems],
    )
    return [Lane(key, plan.options.quota, plan.options.most_attempts) for key in keys]


def attempts_of(plan: EditPlan, bench: Bench) -> Attempt:
    """How one attempt of the plan is made and judged; loads what scoring takes."""
    prepare_scoring([edited_file(problem) for problem in plan.problems])
    simulated = {sut.name: sut.endpoint.simulated for sut in plan.suts}
    suites = {
        (form.prompt.name, told): Edit(form, plan.options.sampling, bench, told)
        for form in plan.forms
        for told in (False, True)
    }
    problems: dict[str, EditProblem] = {problem.case_id: problem for problem in plan.problems}

    async def attempt(lane: Lane, ask: Ask, number: int) -> Result:
        suite = suites[lane.key.prompt, simulated[lane.key.sut]]
        return await suite.attempt(problems[lane.key.case_id], ask, number)

    return attempt


def announcement(plan: EditPlan, prices: Prices, counter: TokenCounter) -> list[str]:
    """What is about to happen: who serves each model, how much is asked, what it may cost."""
    options = plan.options
    lines = [*served(plan.suts)]
    lanes = len(plan.suts) * len(plan.forms) * len(plan.problems)
    lines.append(
        f"{len(plan.suts)} models x {len(plan.forms)} prompts x {len(plan.problems)} problems x {options.quota} valid"
        f" = {lanes * options.quota}, at most {lanes * options.most_attempts}; {options.slots} at once"
    )
    lines.append(estimated(plan.suts, _estimate(plan, prices, counter.count), prices))
    return lines


def _estimate(plan: EditPlan, prices: Prices, count: Callable[[str], int]) -> list[float | None]:
    """USD per system for the quota without re-rolls, an answer being as long as the reference; None where unknown."""
    systems = sum(count(form.prompt.wording) for form in plan.forms)
    questions = sum(count(question(problem)) for problem in plan.problems)
    tokens_in = plan.options.quota * (systems * len(plan.problems) + questions * len(plan.forms))
    tokens_out = plan.options.quota * len(plan.forms) * sum(count(one.references[0]) for one in plan.problems)
    return estimates(plan.suts, prices, tokens_in, tokens_out)
