"""A run played again from its answers on record: its commits, its order, and each of its replays; nobody is asked."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from runner.console import say
from runner.pool.executor import Executor
from runner.pool.processes import Processes
from runner.records import Completion
from runner.run.protocols import Ask
from runner.storage.ledger import LaneKey, Question, Record
from runner.storage.rows import config_of, detail_of
from runner.storage.store import Store
from runner.suites.nextedit.players import ModelPlayer, Player
from runner.suites.nextedit.readings import Rereading, plan_of_run, player_of
from runner.suites.nextedit.recorded_commits import commits_of_run
from runner.suites.nextedit.reread_steps import Played
from suts.sut import ErrorKind, Request, SutError

AnswerOf = Callable[[Question], Awaitable[Completion | None]]

_LANE = "SELECT lane_id, state FROM lanes WHERE run_id = ? AND sut = ? AND prompt = ? AND case_id = ?"
_JUDGED = """
    SELECT a.step, s.detail FROM scorings s JOIN answers a USING (answer_id)
    WHERE a.lane_id = ? AND s.run_id = ? AND json_extract(s.detail, '$.applied') IS NOT NULL"""
_NOT_DONE = "they are not done"
_CHANGED = (
    "what may come next has changed since, and their answers are to other states; ask again, or read them with the "
    "version that asked"
)


class RecordedRun:
    """A run whose answers are on record; counts the replays that cannot be made again, with the reason.

    What systems saw is on record as well, and is not found out again.
    """

    def __init__(
        self, store: Store, run_id: str, rereading: Rereading | None = None, pool: Executor | None = None
    ) -> None:
        """Read the commits and the configuration of the run that asked; `rereading` may name its plug-ins again.

        With a pool, large answers and those that plug-ins read are read in worker processes.
        Raises InputError for unknown names in it, and for a run of another version of the measure.
        """
        self._store = store
        self._rereading = rereading
        self.run_id = run_id
        self.record = Record(store, run_id)
        config = config_of(store.rows("SELECT run_id, config FROM runs WHERE run_id = ?", run_id)[0])
        self.identity: dict[str, Any] = config["identity"]
        self.plan = plan_of_run(run_id, config, pool)
        self.commits = commits_of_run(store, run_id)
        self._players: dict[bool, Player] = {}
        self._left_out: Counter[str] = Counter()
        self._played = 0

    async def play(self, lane: LaneKey, answer_of: AnswerOf) -> Played | None:
        """The replay of a lane from its answers; None for one that is not done, or whose states are others now."""
        ((lane_id, state),) = self._store.rows(_LANE, self.run_id, lane.sut, lane.prompt, lane.case_id)
        try:
            played = await self._player(lane).play(self.commits[lane.case_id], _recorded(answer_of, lane), 1)
        except SutError:
            self._left_out[_CHANGED if state == "full" else _NOT_DONE] += 1
            return None
        views = self._views(lane_id, played)
        if views is None:
            self._left_out[_CHANGED] += 1
            return None
        self._played += 1
        steps = tuple(replace(step, in_view=views.get(step.number)) for step in played.replay.steps)
        return replace(played, replay=replace(played.replay, steps=steps))

    async def readings(self, lane: LaneKey, played: Played) -> list[tuple[str, Played]]:
        """Return a replay as each algorithm of the run reads its answers, by the algorithm's name."""
        player = self._player(lane)
        if not isinstance(player, ModelPlayer):
            return [("", played)]
        return [(reading.names[1], again) for reading, again in await player.read(self.commits[lane.case_id], played)]

    def say_left_out(self) -> None:
        """Say how many replays could not be made again, and why."""
        total = self._left_out.total() + self._played
        for reason, count in self._left_out.items():
            say(f"run {self.run_id}: {count} of {total} replays are left out: {reason}")

    def _player(self, lane: LaneKey) -> Player:
        """Local systems have no prompt."""
        prompted = bool(lane.prompt)
        if prompted not in self._players:
            self._players[prompted] = player_of(self.identity, self.plan, prompted=prompted, rereading=self._rereading)
        return self._players[prompted]

    def _views(self, lane_id: int, played: Played) -> dict[int, tuple[int, ...] | None] | None:
        """The edits in view at each step judged in the run.

        None where a step has not the state of then: its answers were given to no other.
        """
        steps = {step.number: step for step in played.replay.steps}
        views: dict[int, tuple[int, ...] | None] = {}
        for row in self._store.stream(_JUDGED, lane_id, self.run_id):
            step, known = steps.get(row["step"]), detail_of(row)
            if step is None or [*step.applied] != known["applied"] or [*step.allowed] != known["allowed"]:
                return None
            in_view = known.get("in_view")
            views[step.number] = None if in_view is None else tuple(in_view)
        return views


@contextmanager
def read_by_workers(store: Store, run_id: str, rereading: Rereading) -> Iterator[RecordedRun]:
    """A run on record with worker processes for its large answers, which end with the context."""
    with Processes() as pool:
        yield RecordedRun(store, run_id, rereading, pool)


def _recorded(answer_of: AnswerOf, lane: LaneKey) -> Ask:
    """An Ask that knows only answers on record."""

    async def ask(
        request: Request,  # noqa: ARG001 - the Protocol names it
        *,
        step: int = 0,
        mode: str = "",
        number: int = 1,
        about: object = None,  # noqa: ARG001 - the Protocol names it
    ) -> Completion:
        completion = await answer_of(Question(lane, step, mode, number))
        if completion is None:
            raise SutError(ErrorKind.NOT_FOUND, f"no answer on record to {mode} at step {step} of {lane.case_id}")
        return completion

    return ask
