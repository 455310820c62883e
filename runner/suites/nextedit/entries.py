"""Who takes part in a run: a system under test, how it is recorded, and what replays commits against it."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from runner.pool.processes import Processes
from runner.run.suite import Say
from runner.run.variants import local_variant
from runner.suites.nextedit.detail import NextEditDetail
from runner.suites.nextedit.ordering import Ordering
from runner.suites.nextedit.players import LocalPlayer, ModelPlayer, Player, TreeOf, no_tree
from runner.suites.nextedit.recorded_editor import LocalSut
from runner.suites.nextedit.replay_plan import ReplayPlan, replay_plan
from runner.suites.nextedit.systems import System, is_system
from runner.suites.nextedit.systems.opening import open_systems
from runner.suites.nextedit.trees import trees_of
from runner.variant import Variant
from suts.sut import Sut


@dataclass(frozen=True, slots=True)
class Entry:
    """One system in a run, with one prompt if it is a model, and the variants by which its answers are read."""

    sut: Sut
    variants: tuple[Variant, ...]
    player: Player

    @property
    def key(self) -> tuple[str, str]:
        """The names of the system and of the prompt."""
        return self.sut.name, self.variants[0].prompt


def local_entries(systems: Mapping[str, System], tree_of: TreeOf, plan: ReplayPlan) -> Iterator[Entry]:
    """The systems without a model; those that want a tree get one of each commit."""
    for name, system in systems.items():
        sut = LocalSut(name, system.identity, time.monotonic_ns, system.aclose, system.wire)
        variant = local_variant(name, endpoint=system.identity)
        yield Entry(sut, (variant,), LocalPlayer(plan, system, tree_of))


def model_entries(detail: NextEditDetail, plan: ReplayPlan) -> Iterator[Entry]:
    """The models, each with every prompt."""
    models = detail.models
    if models is not None:
        tree_of = trees_of(detail.commits) if models.agents else no_tree
        players = [(prompt, ModelPlayer(plan, tuple(models.readings(prompt)), tree_of)) for prompt in models.prompts]
        for sut in models.suts:
            yield from (Entry(sut, models.variants(sut, prompt), player) for prompt, player in players)


@contextmanager
def open_entries(detail: NextEditDetail, order: Ordering, say: Say) -> Iterator[tuple[tuple[Entry, ...], ReplayPlan]]:
    """The systems of a run in their order, and the plan of their replays, whose worker processes end with the context.

    Raises InputError.
    """
    options = detail.options
    with Processes(options.jobs) as pool:
        plan = replay_plan(order.order, options.seed, options.leak, pool, detail.context.context(pool))
        local = [name for name in detail.names if is_system(name)]
        systems = open_systems(local, options, say)
        entries = (*local_entries(systems, trees_of(detail.commits), plan), *model_entries(detail, plan))
        yield tuple(sorted(entries, key=lambda entry: detail.names.index(entry.sut.name))), plan
