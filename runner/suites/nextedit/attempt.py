"""Attempts commits: each is replayed against each system, every step asked by way of the run."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from runner.records import Result
from runner.run.engine import Lane
from runner.run.plan import Plan
from runner.run.protocols import Ask, Attempt
from runner.run.suite import Attempts, NotReadyError, Prepared, Say
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.detail import NextEditDetail
from runner.suites.nextedit.entries import Entry, open_entries
from runner.suites.nextedit.players import LocalPlayer, ModelPlayer
from runner.suites.nextedit.run_plan import run_plan
from runner.suites.nextedit.score import result_of
from runner.suites.nextedit.sim_truth import truth_of

# A local system ends its own questions; this is for one that does not.
_MARGIN_S = 60.0


@contextmanager
def attempt(plan: Plan[NextEditDetail], say: Say) -> Iterator[Prepared]:
    """The order is prepared and systems are opened; how commits are then replayed.

    Raises InputError, and NotReadyError where a model has not answered all that the order depends on.
    """
    detail = plan.detail
    order = detail.order.prepare(detail.commits)
    if order.exit_code:
        raise NotReadyError(order.exit_code)
    with open_entries(detail, order, say) as (entries, replays):
        commits = {ready.commit.case_id: ready.commit for ready in detail.commits}

        def begin(_lanes: Sequence[Lane]) -> Attempts:
            models = [entry.player for entry in entries if isinstance(entry.player, ModelPlayer)]
            return Attempts(
                attempt_by(entries, commits),
                list({entry.sut.name: entry.sut for entry in entries}.values()),
                parser=models[0].reading.parser if models else None,
                truth=truth_of(replays.order),
                answer_s=_longest_s(entries) + _MARGIN_S,
                predictable=False,
            )

        yield Prepared(run_plan(detail, entries, order), begin, order.cost_usd)


def attempt_by(entries: Sequence[Entry], commits: Mapping[str, Commit]) -> Attempt:
    """How one commit is attempted by one system."""
    players = {entry.key: entry.player for entry in entries}

    async def attempt_lane(lane: Lane, ask: Ask, number: int) -> Result:
        player, commit = players[lane.key.sut, lane.key.prompt], commits[lane.key.case_id]
        played = await player.play(commit, ask, number)
        if isinstance(player, LocalPlayer):
            return result_of([(("", ""), played)])
        return result_of([(reading.names, again) for reading, again in await player.read(commit, played)])

    return attempt_lane


def _longest_s(entries: Sequence[Entry]) -> float:
    """The longest answer of a local system."""
    local = (entry.player for entry in entries)
    return max((player.system.longest_s for player in local if isinstance(player, LocalPlayer)), default=0.0)
