"""A model at several servers is the same one, whichever these are; at one server it is not that of another."""

import pytest

from runner.storage.identities import differences, with_replicas


@pytest.mark.parametrize(
    "first, other, different",
    [
        pytest.param("m at https://a", "m at https://b", ["suts"], id="two single servers"),
        pytest.param("m at https://a", "m at replicas", [], id="one, then several"),
        pytest.param("m at replicas", "m at https://a", [], id="several, then one"),
        pytest.param("m at replicas", "n at replicas", ["suts"], id="another model"),
        pytest.param("m@effort=low at replicas", "m at https://a", ["suts"], id="another effort"),
    ],
)
def test_runs_differ_in_models_and_in_single_servers(first: str, other: str, different: list[str]) -> None:
    assert differences({"suts": ["x at https://x", first]}, {"suts": ["x at https://x", other]}) == different


def test_another_number_of_models_is_another_run() -> None:
    assert differences({"suts": ["m at replicas"]}, {"suts": ["m at replicas", "n at replicas"]}) == ["suts"]


@pytest.mark.parametrize(
    "before, now, kept",
    [
        pytest.param(
            ["m at replicas", "n at https://n"],
            ["m at https://a", "n at replicas"],
            ["m at replicas", "n at replicas"],
            id="a list",
        ),
        pytest.param("m at replicas", "m at https://a", "m at replicas", id="one model"),
        pytest.param(None, ["m at https://a"], ["m at https://a"], id="none before"),
    ],
)
def test_a_model_that_was_at_several_servers_once_stays_that(before: object, now: object, kept: object) -> None:
    name = "suts" if isinstance(now, list) else "sut"

    assert with_replicas({name: before, "seed": 1}, {name: now, "seed": 1}) == {name: kept, "seed": 1}
