"""A run of the nextedit suite in the database: its attempts are commits, and the replays are read from its answers."""

import asyncio
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from runner.console import say
from runner.prices import Price, Rate, load_prices
from runner.records import Completion, Result
from runner.run.engine import Lane
from runner.run.launch import Job, agreed, launch, refuse_unpriced, sim_prices
from runner.run.limits import Rates
from runner.run.pace import Deadlines, Pace
from runner.run.protocols import Ask
from runner.storage.ledger import LaneKey, Question, Record
from runner.storage.runs import CaseRow, RunPlan, choose_run
from runner.storage.store import Store
from runner.suites.nextedit.attempt import SUITE, NextEdit
from runner.suites.nextedit.bundles import bundle_text
from runner.suites.nextedit.commit_replay import Plan
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.entries import Contestant
from runner.suites.nextedit.models import ModelOptions, asked_as
from runner.suites.nextedit.prompted import PATIENCE
from runner.suites.nextedit.steps import CommitReplay
from runner.suites.nextedit.unprompted import Unprompted, no_tree
from suts.sut import ErrorKind, Request, SutError

# A system without a model ends its questions itself; this is for one that does not.
_MARGIN_S = 60.0


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Where a run is kept and how fast it goes.

    `order` is the name of the plan's order, `edges` are its edges by case id if it is a graph.
    """

    db: Path
    order: str = "graph"
    edges: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)
    slots: int = 4
    budget_usd: float | None = None
    prices: Path | None = None
    run_id: str = ""
    resume: str = ""
    yes: bool = False
    quiet: bool = False
    models: ModelOptions = field(default_factory=ModelOptions)


@dataclass(frozen=True, slots=True)
class Run:
    """How a run ended, every commit that it has replayed to the end, by system, and which systems are simulated."""

    exit_code: int
    run_id: str
    replays: Mapping[str, Sequence[CommitReplay]]
    simulated: frozenset[str] = frozenset()


def run_systems(commits: Sequence[Commit], contestants: Sequence[Contestant], plan: Plan, options: RunOptions) -> Run:
    """Ask systems for the next edits of commits, or go on asking. Raises InputError before anything is asked."""
    suts = [each.sut for each in contestants]
    prices = load_prices(options.prices, {**sim_prices(), **_free(contestants)})
    refuse_unpriced(suts, prices, options.budget_usd)
    planned = _run_plan(commits, contestants, plan, options)
    run_id = choose_run(options.db, planned, options.run_id, options.resume)
    if not (options.yes or agreed([each.sut for each in contestants if not isinstance(each.suite, Unprompted)])):
        say("nothing was asked")
        return Run(0, "", {})
    cases = {commit.case_id: commit for commit in commits}
    suites = {each.sut.name: each.suite for each in contestants}
    keys = [LaneKey(each.sut.name, each.variant.prompt, case_id) for case_id in cases for each in contestants]

    done: dict[LaneKey, CommitReplay] = {}

    async def attempt(lane: Lane, ask: Ask, number: int) -> Result:
        suite = suites[lane.key.sut]
        played = await suite.play(cases[lane.key.case_id], ask, number)
        done[lane.key] = played.replay
        return suite.result(played)

    job = Job(
        plan=planned,
        lanes=[Lane(key, quota=1, cap=1) for key in keys],
        attempt=attempt,
        suts=suts,
        parser=next((suite.reading.parser for suite in suites.values() if isinstance(suite, NextEdit)), None),
        prices=prices,
        pace=Pace(options.slots, Rates(options.slots), _deadlines(suites.values()), options.budget_usd),
        quiet=options.quiet,
    )
    with closing(Store.open(options.db)) as store:
        code = launch(job, store, run_id)
        earlier = [key for key in keys if key not in done]
        done |= asyncio.run(recorded_replays(store, run_id, suites, earlier, cases))
    replays = {name: [done[key] for key in keys if key.sut == name and key in done] for name in suites}
    return Run(code, run_id, replays, frozenset(each.name for each in suts if each.endpoint.simulated))


def _free(contestants: Sequence[Contestant]) -> dict[str, Price]:
    return {each.sut.name: Price(Rate(0.0, 0.0)) for each in contestants if isinstance(each.suite, Unprompted)}


def _deadlines(suites: Iterable[NextEdit | Unprompted]) -> Deadlines:
    """The usual ones, but where a system's own are longer: it answers in one piece, when it is done."""
    usual = Deadlines()
    longest = max((each.system.longest_s for each in suites if isinstance(each, Unprompted)), default=0.0) + _MARGIN_S
    return replace(usual, first_byte_s=max(usual.first_byte_s, longest), total_s=max(usual.total_s, longest))


def _run_plan(commits: Sequence[Commit], contestants: Sequence[Contestant], plan: Plan, options: RunOptions) -> RunPlan:

    rows = [_case_row(commit) for commit in commits]
    digest = hashlib.sha256("\n".join(f"{row.case_id}\t{row.digest}" for row in rows).encode()).hexdigest()[:12]
    return RunPlan(
        suite=SUITE,
        identity={
            "suts": [f"{each.sut.name} at {each.sut.endpoint.base_url}" for each in contestants],
            "cases": digest,
            "order": options.order,
            "leak": str(plan.leak),
            "seed": plan.seed,
            **asked_as(contestants, options.models),
        },
        settings={
            "valid_attempts_per_case": 1,
            "valid_attempts_per_step": options.models.valid_attempts,
            "most_tries_per_answer": PATIENCE,
            "slots": options.slots,
            **({"edges": options.edges} if options.edges else {}),
        },
        variants=tuple(each.variant for each in contestants),
        cases=rows,
        cases_digest=digest,
    )


def _case_row(commit: Commit) -> CaseRow:
    content = bundle_text(commit)
    digest = hashlib.sha256(content.encode()).hexdigest()[:12]
    return CaseRow(commit.case_id, digest, path=commit.files[0].path, source=commit.origin.url or None, content=content)


async def recorded_replays(
    store: Store,
    run_id: str,
    suites: Mapping[str, NextEdit | Unprompted],
    keys: Iterable[LaneKey],
    cases: Mapping[str, Commit],
) -> dict[LaneKey, CommitReplay]:
    """The replays of a run, made from its recorded answers alone; a commit that is not done is left out."""
    found: dict[LaneKey, CommitReplay] = {}
    record = Record(store, run_id)
    for key in keys:
        try:
            played = await offline(suites[key.sut]).play(cases[key.case_id], recorded(record, key), 1)
        except SutError:
            continue
        found[key] = played.replay
    return found


def offline(suite: NextEdit | Unprompted) -> NextEdit | Unprompted:
    """The suite for answers that are on record: a system that is not asked needs no tree."""
    return replace(suite, tree_of=no_tree) if isinstance(suite, Unprompted) else suite


def recorded(record: Record, lane: LaneKey) -> Ask:
    """An Ask that knows only what the run has on record."""

    async def ask(
        request: Request,  # noqa: ARG001 - the Protocol names it
        *,
        step: int = 0,
        mode: str = "",
        number: int = 1,
    ) -> Completion:
        completion = await record.recorded(Question(lane, step, mode, number))
        if completion is None:
            raise SutError(ErrorKind.NOT_FOUND, f"no answer on record to {mode} at step {step} of {lane.case_id}")
        return completion

    return ask
