"""The walk of forests, against a plain descent of one row through one tree after the other."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.suites.codrep.ranker.trees import Forest, lay_out
from runner.suites.codrep.training.boost import _rounded_down as rounded_down

WIDTH = 4
# Few values, so that rows stand on thresholds often.
VALUES = st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0])


@dataclass(frozen=True, slots=True)
class Node:
    """A tree: a leaf has a value, an inner node a question and two sides."""

    value: float = 0.0
    feature: int = 0
    threshold: float = 0.0
    left: "Node | None" = None
    right: "Node | None" = None


LEAVES = st.integers(-50, 50).map(lambda value: Node(value=float(value)))
TREES = st.recursive(
    LEAVES,
    lambda inner: st.builds(
        Node, feature=st.integers(0, WIDTH - 1), threshold=VALUES, left=inner, right=inner, value=st.just(0.0)
    ),
    max_leaves=12,
)
TABLES = st.lists(st.lists(VALUES, min_size=WIDTH, max_size=WIDTH), min_size=1, max_size=6)


def descend(node: Node, row: list[float]) -> float:
    while node.left is not None and node.right is not None:
        node = node.left if row[node.feature] <= node.threshold else node.right
    return node.value


def flat(trees: list[Node]) -> Forest:
    """The same trees as arrays."""
    inner: list[tuple[int, float, int, int]] = []
    leaves: list[float] = []
    counts: list[tuple[int, int]] = []
    for tree in trees:
        own: list[list[float]] = []
        values: list[float] = []
        _number(tree, own, values)
        inner += [(int(feature), at, int(left), int(right)) for feature, at, left, right in own]
        leaves += values
        counts.append((len(own), len(values)))
    feature, threshold, left, right = (np.array([node[column] for node in inner]) for column in range(4))
    return Forest(
        feature=feature.astype(np.int64),
        threshold=threshold.astype(np.float64),
        left=left.astype(np.int64),
        right=right.astype(np.int64),
        nodes=np.array([nodes for nodes, _ in counts]),
        leaves=np.array([number for _, number in counts]),
        values=np.array(leaves),
    )


def _number(node: Node, inner: list[list[float]], leaves: list[float]) -> int:
    """The number of a node among its tree's, -k - 1 for leaf k."""
    if node.left is None or node.right is None:
        leaves.append(node.value)
        return -len(leaves)
    place = len(inner)
    inner.append([node.feature, node.threshold, 0, 0])
    inner[place][2] = _number(node.left, inner, leaves)
    inner[place][3] = _number(node.right, inner, leaves)
    return place


@settings(max_examples=25)
@given(st.lists(TREES, min_size=1, max_size=4), TABLES)
def test_a_forest_scores_as_a_plain_descent_does(trees: list[Node], rows: list[list[float]]) -> None:
    scores = lay_out(flat(trees)).scores(np.array(rows))

    assert scores.tolist() == [sum(descend(tree, row) for tree in trees) for row in rows]


@settings(max_examples=25)
@given(st.lists(TREES, min_size=1, max_size=3), TABLES)
def test_a_row_scores_the_same_alone_and_among_others(trees: list[Node], rows: list[list[float]]) -> None:
    walk = lay_out(flat(trees))

    together = walk.scores(np.array(rows)).tolist()

    assert together == [walk.scores(np.array([row])).tolist()[0] for row in rows]


@settings(max_examples=25)
@given(st.lists(TREES, min_size=2, max_size=4), TABLES)
def test_two_forests_add_up(trees: list[Node], rows: list[list[float]]) -> None:
    table = np.array(rows)

    whole = lay_out(flat(trees)).scores(table)

    assert whole.tolist() == (lay_out(flat(trees[:1])).scores(table) + lay_out(flat(trees[1:])).scores(table)).tolist()


@settings(max_examples=25)
@given(TREES, TABLES)
def test_a_table_may_be_laid_out_in_memory_in_any_way(tree: Node, rows: list[list[float]]) -> None:
    walk, table = lay_out(flat([tree])), np.array(rows, np.float32)

    assert walk.scores(np.asfortranarray(table)).tolist() == walk.scores(table).tolist()
    assert walk.scores(np.repeat(table, 2, axis=0)[::2]).tolist() == walk.scores(table).tolist()


@given(
    st.floats(-1e6, 1e6) | st.floats(-1e-3, 1e-3),
    st.floats(-1e6, 1e6, width=32) | st.floats(-(2.0**-10), 2.0**-10, width=32),
)
@settings(max_examples=200)
def test_a_rounded_threshold_parts_the_features_as_the_exact_one_does(threshold: float, value: float) -> None:
    (rounded,) = rounded_down(np.array([threshold]))

    assert rounded.dtype == np.float32
    assert (np.float32(value) <= rounded) == (value <= threshold)


@pytest.mark.parametrize(
    "threshold", [0.1, -0.1, 1 / 3, 16777217.0, 1.0, 0.0, 1e-40], ids=lambda threshold: f"{threshold:g}"
)
def test_the_float_next_to_a_threshold_stays_on_its_side(threshold: float) -> None:
    near = np.float32(threshold)
    beside: npt.NDArray[np.float32] = np.array(
        [np.nextafter(near, np.float32(-np.inf)), near, np.nextafter(near, np.float32(np.inf))]
    )

    assert (beside <= rounded_down(np.array([threshold]))).tolist() == (beside.astype(np.float64) <= threshold).tolist()
