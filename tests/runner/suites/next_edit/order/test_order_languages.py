import pytest

from runner.suites.next_edit.order import order_graph
from tests.next_edit import commit_of
from tests.runner.suites.next_edit.order.order_case import OrderCase
from tests.runner.suites.next_edit.order.order_commits_go import GO
from tests.runner.suites.next_edit.order.order_commits_java import JAVA
from tests.runner.suites.next_edit.order.order_commits_scripts import JAVASCRIPT, TYPESCRIPT

CASES = [
    pytest.param(case, id=f"{language}-{case.name.replace(' ', '-')}")
    for language, cases in {"go": GO, "java": JAVA, "typescript": TYPESCRIPT, "javascript": JAVASCRIPT}.items()
    for case in cases
]


@pytest.mark.parametrize("case", CASES)
def test_the_expected_edges_are_found_and_no_other(case: OrderCase) -> None:
    graph = order_graph(commit_of(case.versions()))

    assert graph.pairs() == set(case.pairs)
    for (one, two), reasons in case.pairs.items():
        assert reasons <= {edge.reason for edge in graph.edges if {edge.source, edge.target} == {one, two}}
