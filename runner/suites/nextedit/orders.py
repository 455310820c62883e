"""The orders a replay can follow: what edits have to do with each other, each file from the top, or none."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol

from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.order import order_graph
from runner.suites.nextedit.state import State


class Order(Protocol):
    """Which edits a commit may begin with, and which may follow those that are made; ascending."""

    def initial(self) -> tuple[int, ...]:
        """The edits that may be the first; at least one."""
        ...

    def allowed(self, applied: Collection[int]) -> tuple[int, ...]:
        """The edits that depend on those made; there may be none."""
        ...


def allowed_next(order: Order, state: State) -> tuple[int, ...]:
    """Return the edits that may come next, ascending.

    Where no edit depends on those made, the next one begins a new island of the order: any edit that remains may.
    """
    return order.allowed(state.applied) or state.remaining


@dataclass(frozen=True, slots=True)
class AnyOrder:
    """Everything is allowed at any time."""

    size: int

    def initial(self) -> tuple[int, ...]:
        """All edits."""
        return tuple(range(self.size))

    def allowed(self, applied: Collection[int]) -> tuple[int, ...]:
        """All edits that are not made."""
        return tuple(idx for idx in range(self.size) if idx not in applied)


@dataclass(frozen=True, slots=True)
class FileOrder:
    """File by file, each from the top."""

    size: int

    def initial(self) -> tuple[int, ...]:
        """The first edit."""
        return (0,)

    def allowed(self, applied: Collection[int]) -> tuple[int, ...]:
        """The first edit that is not made."""
        return AnyOrder(self.size).allowed(applied)[:1]


def _any_order(commit: Commit) -> Order:
    return AnyOrder(len(commit.edits))


def _file_order(commit: Commit) -> Order:
    return FileOrder(len(commit.edits))


ORDERS: dict[str, Callable[[Commit], Order]] = {
    "graph": order_graph,
    "file": _file_order,
    "none": _any_order,
}
