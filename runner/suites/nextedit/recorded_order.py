"""The order of edits that a run on record was replayed in."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from runner.errors import InputError
from runner.structs import WrongField, converted
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.order import Edge, Graph, Reason
from runner.suites.nextedit.orders import ORDERS, Order


class _OrderSettings(msgspec.Struct, frozen=True):
    """The settings of a run that make its order: the edges of each commit."""

    edges: dict[str, tuple[tuple[int, int], ...]] = msgspec.field(default_factory=dict)


def _damaged(wrong: WrongField) -> InputError:
    return InputError(
        f"column config of a run: {wrong.path} {wrong.problem}, so the database is damaged; restore a copy"
    )


def order_of_run(config: Mapping[str, Any]) -> Callable[[Commit], Order]:
    """The order of a run by its recorded configuration: recorded edges, else what the name stands for.

    Runs of graphs keep their edges; those of before did so only where others than the rules had a say.
    """
    edges = converted(config["settings"], _OrderSettings, _damaged).edges
    if not edges:
        name = config["identity"]["order"]
        if name not in ORDERS:
            raise InputError(f"column config of a run: no order {name!r}, so the database is damaged; restore a copy")
        return ORDERS[name]

    def recorded(commit: Commit) -> Order:
        pairs, size = edges.get(commit.case_id, ()), len(commit.edits)
        if not all(0 <= first < size and 0 <= second < size for first, second in pairs):
            raise InputError(
                f"column config of a run: {commit.case_id} has {size} edits, and the order names another,"
                " so the database is damaged; restore a copy"
            )
        return Graph(size, tuple(Edge(first, second, Reason.JUDGED, 0.0) for first, second in pairs))

    return recorded
