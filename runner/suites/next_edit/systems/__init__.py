"""Systems that predict edits without a model: baselines that bound the scores, and rules."""

from collections.abc import Callable

from runner.suites.next_edit.commits import Commit
from runner.suites.next_edit.editor import NextEditor
from runner.suites.next_edit.replay import Plan
from runner.suites.next_edit.systems.baselines import Oracle, RandomPlace, RepeatLast, Silent
from runner.suites.next_edit.systems.rules import CLONES, Rules

__all__ = ["SYSTEMS"]

# Only the oracle looks at the commit; it bounds what can be scored.
SYSTEMS: dict[str, Callable[[Commit, Plan], NextEditor]] = {
    "oracle": lambda commit, plan: Oracle(commit, plan.order(commit)),
    "silent": lambda _commit, _plan: Silent(),
    "repeat-last": lambda _commit, _plan: RepeatLast(),
    "rules": lambda _commit, _plan: Rules(),
    "clones": lambda _commit, _plan: Rules(CLONES),
    "random": lambda commit, plan: RandomPlace(f"{plan.seed}:{commit.origin.sha}"),
}
