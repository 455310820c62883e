import pytest

from runner.suites.nextedit.bundles import Bundle, commits_of
from runner.suites.nextedit.commits import Commit, Origin, Touched
from runner.suites.nextedit.order import order_graph
from tests.nextedit import ANY_SIZE, FIXTURES
from tests.runner.suites.nextedit.order.order_cases import read_folder

CASES = read_folder(FIXTURES / "order")


@pytest.fixture(scope="module")
def commits() -> dict[str, Commit]:
    """Every case as a commit by its id, cut by one run of git for all."""
    bundles = [
        Bundle(
            Origin("0" * 40, ""),
            "change",
            tuple(Touched(path, *texts) for path, texts in sorted(case.versions().items())),
        )
        for case in CASES.values()
    ]
    cut = zip(CASES, commits_of(bundles, ANY_SIZE), strict=True)
    return {case_id: commit for case_id, commit in cut if isinstance(commit, Commit)}


@pytest.mark.parametrize("case_id", CASES)
def test_the_expected_edges_are_found_and_no_other(case_id: str, commits: dict[str, Commit]) -> None:
    case = CASES[case_id]
    graph = order_graph(commits[case_id])

    assert graph.pairs() == set(case.pairs)
    for (one, two), reasons in case.pairs.items():
        assert reasons <= {edge.reason for edge in graph.edges if {edge.source, edge.target} == {one, two}}
