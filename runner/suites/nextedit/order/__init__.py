"""The order in which a commit's edits could have been made, from what they have to do with each other."""

from collections.abc import Iterable

from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.order.alike import similarity_edges
from runner.suites.nextedit.order.graph import Edge, Graph, Reason, graph_of
from runner.suites.nextedit.order.symbols import mentions_by_version, symbol_edges

__all__ = ["Edge", "Graph", "Reason", "order_graph"]


def order_graph(commit: Commit, further: Iterable[Edge] = ()) -> Graph:
    """The graph of a commit by the rules, with edges that others know of; the same input gives the same graph."""
    versions = mentions_by_version(commit)
    edges = (*symbol_edges(versions), *similarity_edges(commit, versions), *further)
    return graph_of(len(commit.edits), edges)
