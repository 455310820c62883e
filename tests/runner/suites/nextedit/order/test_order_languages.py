import pytest

from runner.suites.nextedit.bundles import Bundle, commits_of
from runner.suites.nextedit.commits import Commit, Origin, Touched
from runner.suites.nextedit.order import order_graph
from tests.nextedit import ANY_SIZE
from tests.runner.suites.nextedit.order import (
    further_go,
    further_java,
    further_javascript,
    further_mixed,
    further_modules,
    further_python,
    further_typescript,
    mixed_go,
    mixed_java,
    mixed_scripts,
    related_go,
    related_java,
    related_javascript,
    related_too_go,
    related_too_java,
    related_too_javascript,
    related_too_typescript,
    related_typescript,
    unrelated_go,
    unrelated_java,
    unrelated_javascript,
    unrelated_members,
    unrelated_typescript,
    unrelated_words,
)
from tests.runner.suites.nextedit.order.order_case import OrderCase
from tests.runner.suites.nextedit.order.order_commits_go import GO
from tests.runner.suites.nextedit.order.order_commits_java import JAVA
from tests.runner.suites.nextedit.order.order_commits_scripts import JAVASCRIPT, TYPESCRIPT

BY_LANGUAGE = {
    "go": (
        *GO,
        *related_go.RELATED,
        *related_too_go.RELATED,
        *unrelated_go.UNRELATED,
        *mixed_go.MIXED,
        *further_go.FURTHER,
    ),
    "java": (
        *JAVA,
        *related_java.RELATED,
        *related_too_java.RELATED,
        *unrelated_java.UNRELATED,
        *mixed_java.MIXED,
        *further_java.FURTHER,
    ),
    "typescript": (
        *TYPESCRIPT,
        *related_typescript.RELATED,
        *related_too_typescript.RELATED,
        *unrelated_typescript.UNRELATED,
        *further_typescript.FURTHER,
    ),
    "scripts": tuple(mixed_scripts.MIXED),
    "javascript": (
        *JAVASCRIPT,
        *related_javascript.RELATED,
        *related_too_javascript.RELATED,
        *unrelated_javascript.UNRELATED,
        *further_javascript.FURTHER,
    ),
    "python": tuple(further_python.FURTHER),
    "members": tuple(unrelated_members.MEMBERS),
    "words": tuple(unrelated_words.WORDS),
    "modules": tuple(further_modules.MODULES),
    "mixed": tuple(further_mixed.MIXED),
}
CASES = [
    pytest.param(case, id=f"{language}-{case.name.replace(' ', '-')}")
    for language, cases in BY_LANGUAGE.items()
    for case in cases
]


@pytest.fixture(scope="module")
def commits() -> dict[str, Commit]:
    """Every case as a commit, cut by one run of git for all."""
    cases = [case for cases in BY_LANGUAGE.values() for case in cases]
    bundles = [
        Bundle(
            Origin("0" * 40, ""),
            "change",
            tuple(Touched(path, *texts) for path, texts in sorted(case.versions().items())),
        )
        for case in cases
    ]
    found = zip(cases, commits_of(bundles, ANY_SIZE), strict=True)
    return {_key(case): commit for case, commit in found if isinstance(commit, Commit)}


def _key(case: OrderCase) -> str:
    return f"{case.name} {sorted(case.files)}"


@pytest.mark.parametrize("case", CASES)
def test_the_expected_edges_are_found_and_no_other(case: OrderCase, commits: dict[str, Commit]) -> None:
    graph = order_graph(commits[_key(case)])

    assert graph.pairs() == set(case.pairs)
    for (one, two), reasons in case.pairs.items():
        assert reasons <= {edge.reason for edge in graph.edges if {edge.source, edge.target} == {one, two}}
