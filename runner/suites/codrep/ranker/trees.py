"""Regression trees as arrays: evaluates a boosted forest with numpy alone, all candidates and all trees at once."""

from dataclasses import dataclass

import numpy as np

from runner.suites.codrep.ranker.program import Floats, Ints

# How many levels all walkers go down before those that have arrived are dropped: most leaves are not deep.
STEPS = 5


@dataclass(frozen=True, slots=True, eq=False)
class Forest:
    """Trees whose values add up.

    Inner node i sends a row left when `row[feature[i]] <= threshold[i]`. `left` and `right` count nodes from their
    own tree's first; a negative number -k - 1 is the tree's leaf k. `nodes` and `leaves` are the counts of inner
    nodes and of leaves of each tree; `values` are the leaves' values.
    """

    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    nodes: Ints
    leaves: Ints
    values: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """A forest laid out to be walked: every leaf is a node that leads to itself.

    `children` has the left and the right child of node i at 2 i and 2 i + 1; `roots` are the trees' first nodes; the
    leaves begin at node `inner`.
    """

    feature: Ints
    threshold: Floats
    children: Ints
    values: Floats
    roots: Ints
    inner: int

    def scores(self, table: Floats) -> Floats:
        """The sum of all trees' values for each row of a table of features."""
        height, width = table.shape
        flat = np.ascontiguousarray(table, np.float32).ravel()
        # One walker for each row and tree: where it stands, where its row begins, and who is still on the way.
        at = np.tile(self.roots, height)
        rows = np.repeat(np.arange(height, dtype=np.int32) * width, len(self.roots))
        walking = np.arange(len(at))
        while len(walking):
            place, row = at.take(walking), rows.take(walking)
            for _ in range(STEPS):
                right = flat.take(row + self.feature.take(place)) > self.threshold.take(place)
                place = self.children.take(2 * place + right)
            at[walking] = place
            walking = walking[place < self.inner]
        total: Floats = self.values.take(at).reshape(height, -1).sum(axis=1)
        return total


def lay_out(forest: Forest) -> Walk:
    """The forest, ready to be walked: the inner nodes first, then the leaves."""
    inner, leaves = len(forest.feature), len(forest.values)
    tree = np.repeat(np.arange(len(forest.nodes)), forest.nodes)
    first_node = (np.cumsum(forest.nodes) - forest.nodes)[tree]
    first_leaf = inner + (np.cumsum(forest.leaves) - forest.leaves)[tree]
    sides = [
        np.where(side < 0, first_leaf - side - 1, first_node + side)
        for side in (forest.left.astype(np.int64), forest.right.astype(np.int64))
    ]
    stay = np.arange(inner, inner + leaves)
    children = np.stack([np.append(side, stay) for side in sides], axis=1)
    roots = np.where(forest.nodes > 0, np.cumsum(forest.nodes) - forest.nodes, 0)
    lone = forest.nodes == 0
    roots[lone] = inner + (np.cumsum(forest.leaves) - forest.leaves)[lone]
    return Walk(
        feature=np.append(forest.feature, np.zeros(leaves, np.int64)).astype(np.int32),
        threshold=np.append(forest.threshold, np.full(leaves, np.inf)).astype(np.float32),
        children=children.ravel().astype(np.int32),
        values=np.append(np.zeros(inner), forest.values),
        roots=roots.astype(np.int32),
        inner=inner,
    )
