"""Commits replayed against a model or a local system, every question asked by way of the run."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from runner.execution.workspace import Workspace
from runner.run.protocols import Ask
from runner.suites.nextedit.answer_reading import Reading
from runner.suites.nextedit.answers import FILL, RECOMMEND, StepAnswer
from runner.suites.nextedit.commit_replay import replay_commit
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.prompted import PromptedEditor
from runner.suites.nextedit.recorded_editor import SETUP, RecordedEditor
from runner.suites.nextedit.replay_plan import ReplayPlan
from runner.suites.nextedit.reread_steps import Played, reread
from runner.suites.nextedit.steps import Call, CommitReplay, Step
from runner.suites.nextedit.systems import System

TreeOf = Callable[[Commit], AbstractContextManager[Workspace | None]]


def no_tree(_commit: Commit) -> AbstractContextManager[None]:
    """No tree, for systems that need none and for answers that are on record."""
    return nullcontext()


@dataclass(frozen=True, slots=True)
class ModelPlayer:
    """Replays commits against a model, with one way of asking, and reads its answers in one way or several.

    The first of the `readings` decides which edit is made at each step, and so what is asked next; the others read the
    same answers on the same states. `tree_of` is the tree whose files a coding agent gets.
    """

    plan: ReplayPlan
    readings: tuple[Reading, ...]
    tree_of: TreeOf = no_tree

    @property
    def reading(self) -> Reading:
        """The reading that decides how a replay goes on."""
        return self.readings[0]

    async def play(self, commit: Commit, ask: Ask, number: int) -> Played:
        """The replay of attempt `number` and the answers in it; answers on record are not asked for again.

        Raises SutError where there is no answer to be had: the commit goes on from that step another time.
        """
        plan = replace(self.plan, seed=self.plan.seed + number - 1)
        editor = PromptedEditor(ask, replace(self.reading, pool=plan.pool), commit, number)
        with self.tree_of(commit) as workspace:
            replay = await replay_commit(commit, editor, plan, lambda: 0, workspace)
        return Played(timed(replay, editor.answers), tuple(editor.answers))

    async def read(self, commit: Commit, played: Played) -> list[tuple[Reading, Played]]:
        """Return a replay as each of the readings reads its answers."""
        others = [
            (reading, await reread(commit, played, replace(reading, pool=self.plan.pool), self.plan.leak))
            for reading in self.readings[1:]
        ]
        return [(self.reading, played), *others]


@dataclass(frozen=True, slots=True)
class LocalPlayer:
    """Replays commits against a local system; `tree_of` is the tree that it may work in."""

    plan: ReplayPlan
    system: System
    tree_of: TreeOf = no_tree

    async def play(self, commit: Commit, ask: Ask, number: int) -> Played:
        """The replay and the answers in it. Raises SutError where an answer is neither on record nor to be had."""
        with (self.tree_of if self.system.needs_tree else no_tree)(commit) as workspace:
            editor = RecordedEditor(ask, self.system.make(commit, self.plan), number)
            replay = await replay_commit(commit, editor, self.plan, lambda: 0, workspace)
        return Played(timed(replay, editor.answers), tuple(_counted(editor.answers)))


Player = ModelPlayer | LocalPlayer


def _counted(answers: Sequence[StepAnswer]) -> Iterator[StepAnswer]:
    """The answers but for preparations that went well, which answer no question."""
    yield from (answer for answer in answers if answer.mode != SETUP or answer.trouble is not None)


def timed(replay: CommitReplay, answers: Sequence[StepAnswer]) -> CommitReplay:
    """The replay with its answers' clocks and cost: a latency is that of the calls, also where they are on record."""
    return replace(replay, steps=tuple(_with_calls(step, answers) for step in replay.steps))


def _with_calls(step: Step, answers: Sequence[StepAnswer]) -> Step:
    calls = tuple(_call(answer) for answer in answers if answer.step == step.number)

    def spent(mode: str) -> int:
        trips = (call.clocks.round_trip_ms for call in calls if call.mode == mode)
        return round(sum(trip for trip in trips if trip is not None) * 1e6)

    fill_ns = None if step.fill_ns is None else spent(FILL)
    return replace(step, latency_ns=spent(RECOMMEND), fill_ns=fill_ns, calls=calls)


def _call(answer: StepAnswer) -> Call:
    completion = answer.completion
    return Call(answer.mode, str(answer.outcome), completion.clocks, completion.tokens, completion.cost_usd)
