"""The partial order of a commit's edits: which may follow which, with a reason and a strength for every edge."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum

Pair = tuple[int, int]


class Reason(StrEnum):
    """Why the target may follow the source."""

    DEFINES = "defines"
    USES = "uses"
    IMPORTS = "imports"
    CLONE = "clone"
    MOVE = "move"
    RENAME = "rename"
    RARE_NAME = "rare_name"
    NEIGHBOUR = "neighbour"
    JUDGED = "judged"


@dataclass(frozen=True, slots=True)
class Edge:
    """After edit `source`, edit `target` comes to mind.

    `strength` is 0..1, the share of such pairs that people call related; `detail` says what they have in common.
    """

    source: int
    target: int
    reason: Reason
    strength: float
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Graph:
    """The edges between `size` edits, sorted; several reasons may join one pair."""

    size: int
    edges: tuple[Edge, ...] = ()

    def stronger(self, least: float) -> "Graph":
        """The graph without the edges below a strength."""
        return Graph(self.size, tuple(edge for edge in self.edges if edge.strength >= least))

    def pairs(self) -> frozenset[Pair]:
        """The related edits, lower number first."""
        return frozenset((min(edge.source, edge.target), max(edge.source, edge.target)) for edge in self.edges)

    def allowed(self, applied: Collection[int]) -> tuple[int, ...]:
        """The edits one edge away from any applied one, ascending (the one-hop rule of EditFlow)."""
        following = {edge.target for edge in self.edges if edge.source in applied}
        return tuple(sorted(following - set(applied)))

    def initial(self) -> tuple[int, ...]:
        """The edits that follow from the fewest others, ascending: those with which a commit may begin."""
        before: dict[int, set[int]] = {idx: set() for idx in range(self.size)}
        for edge in self.edges:
            before[edge.target].add(edge.source)
        fewest = min((len(sources) for sources in before.values()), default=0)
        return tuple(idx for idx, sources in before.items() if len(sources) == fewest)


def graph_of(size: int, edges: Iterable[Edge]) -> Graph:
    """A graph with one edge per pair, direction and reason: the strongest, and of these the first by its detail."""
    best: dict[tuple[int, int, Reason], Edge] = {}
    for edge in sorted(edges, key=lambda item: (item.source, item.target, item.reason, -item.strength, item.detail)):
        best.setdefault((edge.source, edge.target, edge.reason), edge)
    return Graph(size, tuple(best.values()))
