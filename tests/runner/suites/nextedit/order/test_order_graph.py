import json
import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from runner.suites.nextedit.order import Edge, Graph, Reason, order_graph
from runner.suites.nextedit.order.graph import graph_of
from tests.nextedit import commit_of

CHAIN = Graph(4, (Edge(0, 1, Reason.MOVE, 0.9), Edge(1, 2, Reason.CLONE, 0.85), Edge(2, 1, Reason.CLONE, 0.85)))


def _edges(size: int) -> st.SearchStrategy[list[Edge]]:
    index = st.integers(0, size - 1)
    edge = st.builds(Edge, index, index, st.sampled_from(Reason), st.floats(0, 1), st.sampled_from(["", "x"]))
    return st.lists(edge.filter(lambda each: each.source != each.target), max_size=20)


def test_what_one_edge_reaches_from_any_applied_edit_is_allowed() -> None:
    assert CHAIN.allowed({0}) == (1,)
    assert CHAIN.allowed({0, 1}) == (2,)
    assert CHAIN.allowed({3}) == ()


def test_a_commit_begins_where_the_fewest_edges_end() -> None:
    assert CHAIN.initial() == (0, 3)
    assert Graph(2, (Edge(0, 1, Reason.CLONE, 1), Edge(1, 0, Reason.CLONE, 1))).initial() == (0, 1)
    assert Graph(0).initial() == ()


def test_weak_edges_can_be_left_out() -> None:
    assert CHAIN.stronger(0.9).pairs() == {(0, 1)}
    assert CHAIN.pairs() == {(0, 1), (1, 2)}


def test_one_edge_is_kept_per_pair_direction_and_reason_the_strongest() -> None:
    weak, strong = Edge(0, 1, Reason.DEFINES, 0.7, "a"), Edge(0, 1, Reason.DEFINES, 0.95, "b")

    assert graph_of(2, [weak, strong, Edge(1, 0, Reason.USES, 0.7)]).edges == (strong, Edge(1, 0, Reason.USES, 0.7))


@given(_edges(5))
def test_the_order_of_the_edges_given_does_not_matter(edges: list[Edge]) -> None:
    assert graph_of(5, edges) == graph_of(5, reversed(edges))


@given(_edges(5), st.sets(st.integers(0, 4)))
def test_what_is_applied_is_never_allowed_again(edges: list[Edge], applied: set[int]) -> None:
    assert not applied & set(graph_of(5, edges).allowed(applied))


def test_cut_and_paste_has_one_direction_all_else_two() -> None:
    text = "".join(f"value_{number} = {number}\n" for number in range(9))
    moved = "def normalise(word):\n    return word.strip().lower()\n"
    commit = commit_of({"a.py": (moved + text, text), "b.py": (text, text + moved)})

    edges = [edge for edge in order_graph(commit).edges if edge.reason == Reason.MOVE]

    assert [(edge.source, edge.target) for edge in edges] == [(0, 1)]


def test_the_graph_does_not_depend_on_the_seed_of_hashes() -> None:
    code = (
        "import json; from tests.nextedit import commit_of; from runner.suites.nextedit.order import order_graph\n"
        "before = 'class A:\\n    x = 1\\n\\nclass B:\\n    x = 2\\n\\ndef f(o):\\n    return o.y\\n'\n"
        "after = before.replace('x', 'z').replace('o.y', 'o.z')\n"
        "edges = order_graph(commit_of({'a.py': (before, after), 'b.py': (before, after)})).edges\n"
        "print(json.dumps([str(edge) for edge in edges]))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2", "3")
    }

    assert len(outputs) == 1
    assert json.loads(outputs.pop())
