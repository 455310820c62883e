"""Who takes part in a run: a system under test, how it is recorded, and the suite that asks it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from runner.execution.workspace import Workspace, scratch
from runner.suites.nextedit.attempt import NextEdit
from runner.suites.nextedit.commit_replay import Plan
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.recorded import LocalSut
from runner.suites.nextedit.sources import Ready
from runner.suites.nextedit.systems import System
from runner.suites.nextedit.unprompted import Unprompted
from runner.variant import Variant
from suts.sut import Sut


@dataclass(frozen=True, slots=True)
class Contestant:
    """One system in a run."""

    sut: Sut
    variant: Variant
    suite: NextEdit | Unprompted


def contestants_of(
    systems: Mapping[str, System], commits: Sequence[Ready], plan: Plan, now_ns: Callable[[], int]
) -> Iterator[Contestant]:
    """The systems without a model; those that want a tree get one of each commit."""
    ready = {each.commit.case_id: each for each in commits}

    @contextmanager
    def tree_of(commit: Commit) -> Iterator[Workspace]:
        with ready[commit.case_id].tree() as files, scratch(files, commit.origin.project or "tree") as workspace:
            yield workspace

    for name, system in systems.items():
        sut = LocalSut(name, system.identity, now_ns, system.aclose)
        variant = Variant(name, "", "", "", "", "", "", endpoint=system.identity, simulated=False)
        yield Contestant(sut, variant, Unprompted(plan, system, tree_of))
