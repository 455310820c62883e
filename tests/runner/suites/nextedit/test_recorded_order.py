"""The order of a run on record: its edges as they were, or one line where the database no longer holds them."""

from typing import Any

import pytest

from runner.errors import InputError
from runner.suites.nextedit.recorded_order import order_of_run
from tests.nextedit import commit_of

COMMIT = commit_of({"a.py": ("a = 1\nx\nb = 1\n", "a = 2\nx\nb = 2\n")})


def config(edges: object) -> dict[str, Any]:
    return {"identity": {"order": "graph@0"}, "settings": {"edges": {COMMIT.case_id: edges}, "slots": 4}}


def test_the_edges_of_a_run_are_followed_as_they_were() -> None:
    order = order_of_run(config([[0, 1]]))(COMMIT)

    assert order.allowed(frozenset({0})) == (1,)


@pytest.mark.parametrize("edges", [[[0.1]], [[0]], [["0", 1]], {"0": 1}, [[0, 1, 2]]], ids=str)
def test_edges_that_are_no_pairs_are_one_line(edges: object) -> None:
    with pytest.raises(InputError, match=r"column config of a run: edges.* the database is damaged; restore a copy"):
        order_of_run(config(edges))


def test_an_edge_to_an_edit_that_is_not_there_is_one_line() -> None:
    order_of = order_of_run(config([[0, 7]]))

    with pytest.raises(InputError, match="has 2 edits, and the order names another"):
        order_of(COMMIT)
