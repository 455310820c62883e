"""The nextedit suite for systems without a model: the same replay, asked through the same ledger."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from runner.execution.workspace import Workspace
from runner.records import Result
from runner.run.protocols import Ask
from runner.suites.nextedit.answers import Answer
from runner.suites.nextedit.attempt import Played, result_of, timed
from runner.suites.nextedit.commit_replay import Plan, replay_commit
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.recorded import SETUP, RecordedEditor
from runner.suites.nextedit.systems import System

TreeOf = Callable[[Commit], AbstractContextManager[Workspace | None]]


def no_tree(_commit: Commit) -> AbstractContextManager[None]:
    """No tree, for systems that need none and for answers that are on record."""
    return nullcontext()


@dataclass(frozen=True, slots=True)
class Unprompted:
    """Attempts commits with one system and one plan; `tree_of` is the tree that a system may work in."""

    plan: Plan
    system: System
    tree_of: TreeOf = no_tree

    def result(self, played: Played) -> Result:
        """A replayed commit as an attempt."""
        return result_of(played, "", "")

    async def play(self, case: Commit, ask: Ask, number: int) -> Played:
        """The replay and the answers in it. Raises SutError where no answer is on record and nobody is to be asked."""
        with (self.tree_of if self.system.needs_tree else no_tree)(case) as workspace:
            editor = RecordedEditor(ask, self.system.make(case, self.plan), number)
            replay = await replay_commit(case, editor, self.plan, lambda: 0, workspace)
        return Played(timed(replay, editor.answers), tuple(each for each in editor.answers if _counts(each)))


def _counts(answer: Answer) -> bool:
    """A preparation that went well is no answer to anything."""
    return answer.mode != SETUP or answer.trouble is not None
