"""Models as next-edit systems: a run in the database whose attempts are commits, and the replays it holds."""

import asyncio
import hashlib
import os
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from diff_apply.result import DiffAlgorithm
from parsers.blocks import Parser
from prompts import Prompt, PromptDetails
from runner.choices import Named, choose_algorithms, choose_parser, choose_prompts, choose_suts
from runner.console import say
from runner.engine import Lane
from runner.environment import environment
from runner.errors import InputError
from runner.launch import Job, Pace, agreed, launch, refuse_unpriced, sim_prices
from runner.ledger import LaneKey, Ledger, Question
from runner.limits import Rates
from runner.prices import load_prices
from runner.records import Completion, Result
from runner.runs import CaseRow, RunPlan, choose_run, utc_now
from runner.session import lane_keys
from runner.store import Store
from runner.suites.next_edit.bundles import bundle_text
from runner.suites.next_edit.commits import Commit
from runner.suites.next_edit.prompted import PATIENCE, Reading
from runner.suites.next_edit.prompting import wording_digest
from runner.suites.next_edit.replay import Plan
from runner.suites.next_edit.steps import CommitReplay
from runner.suites.next_edit.suite import SUITE, NextEdit
from runner.suites.suite import Ask
from runner.variant import variants_of
from suts.registry import resolve
from suts.settings import Settings
from suts.sut import ErrorKind, Request, Sampling, Sut, SutError

# What the prompts may say of a machine: there is none.
_DETAILS = PromptDetails("/project", "Linux", "/bin/bash", "/home/user")


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """The options of a run of models, as given; `order` is the name of the plan's order."""

    db: Path
    models: Sequence[str]
    order: str = "graph"
    prompt: str = "basic"
    parser: str = "xml-tools-v2"
    diff_apply: str = "v4"
    valid_attempts: int = 1
    temperature: float = 0.0
    max_tokens: int = 8192
    thinking_budget: int = 0
    slots: int = 4
    budget_usd: float | None = None
    prices: Path | None = None
    run_id: str = ""
    resume: str = ""
    base_url: str = ""
    provider: str = ""
    yes: bool = False
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class ModelRun:
    """How a run ended, and every commit that it has replayed to the end, by model."""

    exit_code: int
    run_id: str
    replays: Mapping[str, Sequence[CommitReplay]]


@dataclass(frozen=True, slots=True)
class _Chosen:
    """Everything the options name, resolved."""

    suts: tuple[Sut, ...]
    prompt: Prompt
    parser: Named[Parser]
    algorithm: Named[DiffAlgorithm]
    sampling: Sampling


def run_models(commits: Sequence[Commit], plan: Plan, options: ModelOptions) -> ModelRun:
    """Ask models for the next edits of commits, or go on asking. Raises InputError before anything is asked."""
    chosen = _choose(plan, options)
    prices = load_prices(options.prices, sim_prices())
    refuse_unpriced(chosen.suts, prices, options.budget_usd)
    suite = _suite(plan, chosen, options)
    run = _run_plan(commits, plan, chosen, options)
    run_id = choose_run(options.db, run, options.run_id, options.resume)
    if not (options.yes or agreed(chosen.suts)):
        say("nothing was asked")
        return ModelRun(0, "", {})
    keys = lane_keys([sut.name for sut in chosen.suts], [chosen.prompt.name], [each.case_id for each in commits])
    cases = {commit.case_id: commit for commit in commits}

    async def attempt(lane: Lane, ask: Ask, number: int) -> Result:
        return await suite.attempt(cases[lane.key.case_id], ask, number)

    job = Job(
        plan=run,
        lanes=[Lane(key, quota=1, cap=1) for key in keys],
        attempt=attempt,
        suts=chosen.suts,
        parser=chosen.parser.thing,
        prices=prices,
        pace=Pace(slots=options.slots, rates=Rates(options.slots), budget_usd=options.budget_usd),
        quiet=options.quiet,
    )
    with closing(Store.open(options.db)) as store:
        code = launch(job, store, run_id)
        replays = asyncio.run(recorded_replays(store, run_id, suite, keys, cases))
    return ModelRun(code, run_id, {sut.name: replays.get(sut.name, []) for sut in chosen.suts})


def _choose(plan: Plan, options: ModelOptions) -> _Chosen:
    settings = Settings(
        provider=options.provider,
        base_url=options.base_url,
        environment=environment(Path.cwd(), os.environ),
        seed=plan.seed,
    )
    (prompt,) = choose_prompts([options.prompt], say)
    (algorithm,) = choose_algorithms([options.diff_apply], say)
    sampling = Sampling(
        max_tokens=options.max_tokens,
        temperature=options.temperature,
        seed=plan.seed,
        thinking_budget=options.thinking_budget,
    )
    try:
        suts = choose_suts(options.models, lambda model: resolve(model, settings))
    except InputError as error:
        raise InputError(str(error).replace("--model-ids: ", "--sut: ", 1)) from error
    return _Chosen(suts, prompt, choose_parser(options.parser, say), algorithm, sampling)


def _suite(plan: Plan, chosen: _Chosen, options: ModelOptions) -> NextEdit:
    reading = Reading(
        system=chosen.prompt.render(_DETAILS),
        parser=chosen.parser.thing,
        algorithm=chosen.algorithm.thing,
        sampling=chosen.sampling,
        valid_attempts=options.valid_attempts,
    )
    return NextEdit(plan, reading, chosen.parser.name, chosen.algorithm.name)


def _run_plan(commits: Sequence[Commit], plan: Plan, chosen: _Chosen, options: ModelOptions) -> RunPlan:
    from importlib.metadata import version

    rows = [_case_row(commit) for commit in commits]
    digest = hashlib.sha256("\n".join(f"{row.case_id}\t{row.digest}" for row in rows).encode()).hexdigest()[:12]
    return RunPlan(
        suite=SUITE,
        identity={
            "suts": [f"{sut.name} at {sut.endpoint.base_url}" for sut in chosen.suts],
            "prompt": f"{chosen.prompt.name}@{chosen.prompt.digest}",
            "question": wording_digest(),
            "parser": f"{chosen.parser.name}@{chosen.parser.digest}",
            "diff_apply": f"{chosen.algorithm.name}@{chosen.algorithm.digest}",
            "cases": digest,
            "order": options.order,
            "leak": str(plan.leak),
            "seed": plan.seed,
            "valid_attempts_per_step": options.valid_attempts,
            "temperature": options.temperature,
            "max_tokens": options.max_tokens,
            "thinking_budget": options.thinking_budget,
        },
        settings={"valid_attempts_per_case": 1, "most_tries_per_answer": PATIENCE, "slots": options.slots},
        variants=tuple(variants_of(chosen.suts, (chosen.prompt,), chosen.parser, (chosen.algorithm,))),
        cases=rows,
        cases_digest=digest,
        version=version("evals"),
    )


def _case_row(commit: Commit) -> CaseRow:
    content = bundle_text(commit)
    digest = hashlib.sha256(content.encode()).hexdigest()[:12]
    return CaseRow(commit.case_id, digest, path=commit.files[0].path, source=commit.origin.url or None, content=content)


async def recorded_replays(
    store: Store, run_id: str, suite: NextEdit, keys: Sequence[LaneKey], cases: Mapping[str, Commit]
) -> dict[str, list[CommitReplay]]:
    """The replays of a run by model, made from its recorded answers alone; a commit that is not done is left out."""
    found: dict[str, list[CommitReplay]] = {}
    async with Ledger(store, run_id, utc_now) as ledger:
        for key in keys:
            replays = found.setdefault(key.sut, [])
            try:
                played = await suite.play(cases[key.case_id], recorded(ledger, key), 1)
            except SutError:
                continue
            replays.append(played.replay)
    return found


def recorded(ledger: Ledger, lane: LaneKey) -> Ask:
    """An Ask that knows only what the run has on record."""

    async def ask(request: Request, *, step: int = 0, mode: str = "", number: int = 1) -> Completion:
        completion = await ledger.recorded(Question(lane, step, mode, number))
        if completion is None:
            raise SutError(ErrorKind.NOT_FOUND, f"no answer on record to {request.messages[-1].role} at step {step}")
        return completion

    return ask
