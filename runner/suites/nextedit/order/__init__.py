"""The order in which a commit's edits could have been made, from what they have to do with each other."""

from collections.abc import Iterable

from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.order.graph import Edge, Graph, Reason, graph_of
from runner.suites.nextedit.order.likeness import likeness_edges
from runner.suites.nextedit.order.symbols import spoken_versions, symbol_edges

__all__ = ["Edge", "Graph", "Reason", "order_graph"]


def order_graph(commit: Commit, further: Iterable[Edge] = ()) -> Graph:
    """The graph of a commit by the rules, with edges that others know of; the same input gives the same graph."""
    saids = spoken_versions(commit)
    edges = (*symbol_edges(saids), *likeness_edges(commit, saids), *further)
    return graph_of(len(commit.edits), edges)
