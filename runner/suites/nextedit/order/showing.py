"""An order to look at: lines, JSON, or a graph for Graphviz."""

from collections.abc import Iterator

from runner.suites.nextedit.commits import Commit, Edit
from runner.suites.nextedit.order.graph import Edge, Graph

_SHOWN = 60


def graph_json(commit: Commit, graph: Graph) -> dict[str, object]:
    """The edits, the edges with reason and strength, and where a commit may begin."""
    return {
        "case": commit.case_id,
        "edits": [
            {"idx": edit.idx, "path": edit.path, "line": edit.parent.start + 1, "kind": str(edit.kind)}
            for edit in commit.edits
        ],
        "edges": [
            {
                "source": edge.source,
                "target": edge.target,
                "reason": str(edge.reason),
                "strength": edge.strength,
                "detail": edge.detail,
            }
            for edge in graph.edges
        ],
        "initial": list(graph.initial()),
    }


def lines_of(commit: Commit, graph: Graph) -> Iterator[str]:
    """The edits, then the edges."""
    for edit in commit.edits:
        yield f"{edit.idx:>3}  {_place(edit)}  {_first_line(edit)}"
    for edge in graph.edges:
        yield f"{edge.source:>3} -> {edge.target:<3} {edge.strength:.2f} {_why(edge)}"
    yield f"begins with {', '.join(map(str, graph.initial()))}"


def dot_of(commit: Commit, graph: Graph) -> str:
    """The graph in Graphviz's language; edges that run both ways are drawn once."""
    lines = ["digraph order {", "  node [shape=box fontname=monospace];"]
    lines += [f"  {edit.idx} [label={_quoted(f'{edit.idx} {_place(edit)}')}];" for edit in commit.edits]
    drawn: set[tuple[int, int]] = set()
    for edge in graph.edges:
        pair = (edge.source, edge.target)
        if pair in drawn or pair[::-1] in drawn:
            continue
        drawn.add(pair)
        both = any((other.target, other.source) == pair for other in graph.edges)
        lines.append(f"  {pair[0]} -> {pair[1]} [label={_quoted(_why(edge))}{' dir=both' if both else ''}];")
    return "\n".join([*lines, "}"]) + "\n"


def _place(edit: Edit) -> str:
    return f"{edit.path}:{edit.parent.start + 1} {edit.kind}"


def _first_line(edit: Edit) -> str:
    lines = (line.strip() for line in edit.after or edit.before)
    return next((line for line in lines if line), "")[:_SHOWN]


def _why(edge: Edge) -> str:
    return f"{edge.reason} {edge.detail}".rstrip()


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
