"""How well our rules of order agree with labelled pairs of edits, and what a graph costs.

Run: python -m tests.bench.bench_order [labels ...]; without labels every labelled_order* of $EVALS_VECTORS/historian.
"""

import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from statistics import mean, median, stdev
from time import perf_counter

import pytest

from runner.suites.nextedit.order import Graph, Reason, order_graph
from runner.suites.nextedit.order.label_files import read_labels
from runner.suites.nextedit.order.labels import Agreement, LabelledCommit, agreement, cross_validate, total
from tests.vectors import files, rows

FOLDS = 10
LEVELS = (0.0, 0.52, 0.58, 0.68, 0.75, 0.88)
Pairs = frozenset[tuple[int, int]]


def recorded_pairs(path: Path) -> list[Pairs]:
    """The baseline: a recorded language-server edge, a recorded clone, or the next edit of the same file."""
    found = []
    for row in rows(path):
        edits = row["edits"]
        pairs = {tuple(sorted((edit["idx"], other))) for edit in edits for other in (*edit["deps"], *edit["clones"])}
        pairs |= {(one["idx"], two["idx"]) for one, two in pairwise(edits) if one["file_path"] == two["file_path"]}
        found.append(frozenset((one, two) for one, two in pairs))
    return found


def timed_graphs(labelled: Sequence[LabelledCommit]) -> tuple[list[Graph], list[float]]:
    """The graphs of the commits, and the seconds each took."""
    graphs, seconds = [], []
    for each in labelled:
        started = perf_counter()
        graphs.append(order_graph(each.commit))
        seconds.append(perf_counter() - started)
    return graphs, seconds


def score(labelled: Sequence[LabelledCommit], found: Sequence[Pairs]) -> Agreement:
    """All commits together."""
    return total(
        agreement(len(each.commit.edits), pairs, each.related) for each, pairs in zip(labelled, found, strict=True)
    )


def say(line: str) -> None:
    """One line."""
    sys.stdout.write(line + "\n")


def show(name: str, result: Agreement) -> None:
    """One line of figures."""
    say(f"{name:44}{result.precision:10.3f}{result.recall:8.3f}{result.f1:8.3f}{result.accuracy:10.3f}")


def main(paths: Sequence[Path]) -> None:
    """Print the comparison."""
    labelled = [each for path in paths for each in read_labels(path)]
    graphs, seconds = timed_graphs(labelled)
    say(f"{len(labelled)} commits, {score(labelled, [graph.pairs() for graph in graphs]).pairs} pairs")
    say(f"{'':44}precision  recall      F1  accuracy")
    recorded = [pairs for path in paths for pairs in recorded_pairs(path)]
    show("recorded server edge, clone or adjacent", score(labelled, recorded))
    by_level = [{level: graph.stronger(level).pairs() for level in LEVELS} for graph in graphs]
    show(f"our rules, cross-validated in {FOLDS} parts", cross_validate(labelled, by_level, FOLDS))
    folds = [score(labelled[fold::FOLDS], [graph.pairs() for graph in graphs[fold::FOLDS]]) for fold in range(FOLDS)]
    spread = f"{mean(fold.f1 for fold in folds):.3f}, deviation {stdev(fold.f1 for fold in folds):.3f}"
    say(f"  F1 of a part: mean {spread}, least {min(fold.f1 for fold in folds):.3f}")
    show("our rules, all edges", score(labelled, [graph.pairs() for graph in graphs]))
    for reason in (each for each in Reason if each is not Reason.JUDGED):
        only = [Graph(g.size, tuple(edge for edge in g.edges if edge.reason == reason)).pairs() for g in graphs]
        show(f"  {reason} alone", score(labelled, only))
    say(f"graph: median {median(seconds) * 1000:.0f} ms, slowest {max(seconds) * 1000:.0f} ms a commit")


if __name__ == "__main__":
    try:
        main([Path(name) for name in sys.argv[1:]] or files("historian", "*labelled_order*.jsonl.xz"))
    except (pytest.skip.Exception, pytest.fail.Exception) as missing:
        sys.exit(str(missing))
