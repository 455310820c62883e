"""The registry holds every version by name."""

import pytest

from diff_apply import DEFAULT_ALGORITHM, DIFF_ALGORITHMS

DATED = ["diff-06-06-25", "diff-06-23-25", "diff-06-25-25", "diff-06-26-25"]


def test_the_published_names_and_ours_are_there() -> None:
    assert set(DIFF_ALGORITHMS) == {*DATED, *(f"{name}/v2" for name in DATED), "v1", "v2", "v3", "v3/v2", "v4"}
    assert DEFAULT_ALGORITHM == "v4"


@pytest.mark.parametrize("name", DIFF_ALGORITHMS)
def test_every_algorithm_applies_a_plain_block(name: str) -> None:
    diff = "------- SEARCH\nb\n=======\nB\n+++++++ REPLACE\n"

    assert DIFF_ALGORITHMS[name]("a\nb\nc\n", diff).text == "a\nB\nc\n"


@pytest.mark.parametrize("short, long", [("v1", "diff-06-06-25"), ("v2", "diff-06-06-25/v2")])
def test_short_names_are_the_published_versions(short: str, long: str) -> None:
    assert DIFF_ALGORITHMS[short] == DIFF_ALGORITHMS[long]
