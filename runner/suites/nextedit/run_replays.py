"""The replays of a run by system, as data for figures: as the run made them, or as a replay of it reads them."""

import asyncio
from dataclasses import dataclass

from runner.console import say
from runner.errors import InputError
from runner.run.replay import asked_in
from runner.run.variants import variants_on_record
from runner.storage.ledger import LaneKey
from runner.storage.store import Row, Store
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.readings import Rereading, rereading_of
from runner.suites.nextedit.recorded_run import RecordedRun
from runner.suites.nextedit.reread_steps import reread
from runner.suites.nextedit.steps import CommitReplay

# The replays of a run by system.
Replays = dict[str, list[CommitReplay]]

_LANES = "SELECT sut, prompt, case_id FROM lanes WHERE run_id = ? ORDER BY lane_id"


@dataclass(frozen=True, slots=True)
class RunReplay:
    """A commit replayed by a system in a run; its name has the prompt and the algorithm, where these differ."""

    name: str
    sut: str
    commit: Commit
    replay: CommitReplay


@dataclass(frozen=True, slots=True)
class Naming:
    """What the names of models have behind them in a run: the prompt if there are several, and so the algorithm.

    In a replay of a run the algorithm is always named.
    """

    prompts: bool
    algorithms: bool

    def name(self, sut: str, prompt: str, algorithm: str) -> str:
        """Return the name of a system; one that runs here has neither prompt nor algorithm."""
        parts = (sut, prompt if self.prompts else "", algorithm if self.algorithms else "")
        return " ".join(part for part in parts if part)


def naming_of_run(store: Store, run: Row) -> Naming:
    """Return how the systems of a run are named."""
    models = [variant for variant in variants_on_record(store, run["run_id"]) if variant.prompt]
    prompts, algorithms = ({getattr(model, part) for model in models} for part in ("prompt", "diff_algorithm"))
    return Naming(len(prompts) > 1, run["replay_of"] is not None or len(algorithms) > 1)


def replays_of(store: Store, run: Row) -> list[RunReplay]:
    """The replays that can be made again from what is on record; says how many cannot, and why.

    Raises InputError for a run that was read by what no longer exists.
    """
    variants = variants_on_record(store, run["run_id"])
    rereading = rereading_of(variants) if run["replay_of"] else None
    naming = naming_of_run(store, run)
    names = [
        naming.name(variant.sut, variant.prompt, variant.diff_algorithm)
        for first in variants_on_record(store, asked_in(run))
        for variant in variants
        if (variant.sut, variant.prompt) == (first.sut, first.prompt)
    ]
    run_replays = asyncio.run(_replays(store, asked_in(run), rereading, naming))
    order = {name: position for position, name in enumerate(names)}
    return sorted(run_replays, key=lambda replay: order.get(replay.name, len(order)))


def known_replays(store: Store, run: Row) -> list[RunReplay]:
    """Return the replays of a run; none where it was read by what no longer exists, which is reported."""
    try:
        return replays_of(store, run)
    except InputError as error:
        say(f"{error}; so figures are means over steps")
        return []


async def _replays(store: Store, run_id: str, rereading: Rereading | None, naming: Naming) -> list[RunReplay]:
    recorded = RecordedRun(store, run_id)
    run_replays: list[RunReplay] = []
    for row in store.rows(_LANES, run_id):
        lane = LaneKey(row["sut"], row["prompt"], row["case_id"])
        played = await recorded.play(lane, recorded.record.recorded)
        if played is None:
            continue
        commit = recorded.commits[lane.case_id]
        if rereading is not None and lane.prompt:
            leak = recorded.plan.leak
            readings = [
                (algorithm, await reread(commit, played, reading, leak)) for algorithm, reading in rereading.readings()
            ]
        else:
            readings = await recorded.readings(lane, played)
        run_replays += (
            RunReplay(naming.name(lane.sut, lane.prompt, name), lane.sut, commit, again.replay)
            for name, again in readings
        )
    recorded.say_left_out()
    return run_replays
