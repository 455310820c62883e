"""The replays of a run by system, as data for figures: as the run made them, or as a replay of it reads them."""

import asyncio
from collections.abc import Sequence
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
    """A commit replayed by a system in a run; in a replay of a run the algorithm stands behind a model's name."""

    name: str
    sut: str
    commit: Commit
    replay: CommitReplay


def replays_of(store: Store, run: Row) -> list[RunReplay]:
    """The replays that can be made again from what is on record; says how many cannot, and why.

    Raises InputError for a run that was read by what no longer exists.
    """
    variants = variants_on_record(store, run["run_id"])
    rereading = rereading_of(variants) if run["replay_of"] else None
    return asyncio.run(_replays(store, asked_in(run), rereading))


def known_replays(store: Store, run: Row) -> list[RunReplay]:
    """Return the replays of a run; none where it was read by what no longer exists, which is reported."""
    try:
        return replays_of(store, run)
    except InputError as error:
        say(f"{error}; so figures are means over steps")
        return []


async def _replays(store: Store, run_id: str, rereading: Rereading | None) -> list[RunReplay]:
    recorded = RecordedRun(store, run_id)
    run_replays: list[RunReplay] = []
    for row in store.rows(_LANES, run_id):
        lane = LaneKey(row["sut"], row["prompt"], row["case_id"])
        played = await recorded.play(lane, recorded.record.recorded)
        if played is None:
            continue
        commit = recorded.commits[lane.case_id]
        replays: Sequence[tuple[str, CommitReplay]] = [(lane.sut, played.replay)]
        if rereading is not None and lane.prompt:
            replays = [
                (f"{lane.sut} {algorithm}", reread(commit, played, reading, recorded.plan.leak).replay)
                for algorithm, reading in rereading.readings()
            ]
        run_replays += (RunReplay(name, lane.sut, commit, replay) for name, replay in replays)
    recorded.say_left_out()
    return run_replays
