"""How the commits of a run are replayed: their order, the draws, and what the systems may know and see."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from runner.pool.executor import Executor
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.context.seen import Context, edits_in_view
from runner.suites.nextedit.editor import EditorSession, Leak, NextEditor, leak_named
from runner.suites.nextedit.orders import Order
from runner.suites.nextedit.state import State


@dataclass(frozen=True, slots=True)
class ReplayPlan:
    """How commits are replayed: in which order, from which seed, and how much the system may know.

    With a pool, what takes long is computed in worker processes. `context` says which files are seen; without it they
    are those that the commit touches, and what the system saw is unknown.
    """

    order: Callable[[Commit], Order]
    seed: int = 0
    leak: Leak = Leak.MESSAGE
    pool: Executor | None = None
    context: Context | None = None

    def in_view(
        self, editor: NextEditor, session: EditorSession, state: State, allowed: Sequence[int]
    ) -> tuple[int, ...] | None:
        """Return the allowed edits whose places the system saw; None if that is unknown."""
        return edits_in_view(editor, session, state, allowed) if self.context else None


def replay_plan(
    order: Callable[[Commit], Order],
    seed: int,
    leak: str,
    pool: Executor | None,
    context: Context | None = None,
) -> ReplayPlan:
    """Return the plan of a run's replays, which computes the order of each commit once; `leak` by its name."""
    return ReplayPlan(remembered(order), seed, leak_named(leak), pool, context)


def remembered(order: Callable[[Commit], Order]) -> Callable[[Commit], Order]:
    """The same orders, each commit's made once however many systems it is replayed with."""
    known: dict[str, Order] = {}

    def order_of(commit: Commit) -> Order:
        if commit.case_id not in known:
            known[commit.case_id] = order(commit)
        return known[commit.case_id]

    return order_of
