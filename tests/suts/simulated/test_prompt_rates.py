"""Simulated models with rates for each prompt: what a comparison of prompts has to find."""

import re
from dataclasses import replace

import pytest

from suts.simulated.models import case_rate, expected_counts, plan
from suts.simulated.spec import parse_spec
from suts.sut import Truth

TRUTH = Truth("case", number=1, path="a.py", blocks=(("one\n", "two\n"),), before="one\nother\n")
BY_PROMPT = "sim/any?applied=.5&strict.applied=.9&strict.valid=.8"


def counted(model: str, prompt: str, cases: int = 400) -> tuple[int, int, int]:
    """Attempts, valid ones and right ones at so many cases."""
    truths = [replace(TRUTH, case_id=f"case {number}", prompt=prompt) for number in range(cases)]
    counts = expected_counts(parse_spec(model), truths, quota=1, cap=10)
    return counts.attempts, counts.valid, counts.applied


def test_a_rate_with_a_prompt_before_it_holds_for_that_prompt() -> None:
    attempts, valid, right = counted(BY_PROMPT, "strict")
    assert valid == 400
    assert abs(right / valid - 0.9) < 0.05
    assert abs(valid / attempts - 0.8) < 0.06

    _, _, right = counted(BY_PROMPT, "basic")
    assert abs(right / 400 - 0.5) < 0.08


def test_rates_of_one_prompt_change_no_answer_to_another() -> None:
    for number in range(50):
        truth = replace(TRUTH, number=number, prompt="basic")
        assert plan(parse_spec(BY_PROMPT), truth) == plan(parse_spec("sim/any?applied=.5"), replace(truth, prompt=""))


def test_equal_rates_for_two_prompts_give_independent_answers_at_cases_of_the_same_difficulty() -> None:
    spec = parse_spec("sim/any?applied=.5&spread=.3&strict.applied=.5")
    truths = [replace(TRUTH, case_id=f"case {number}") for number in range(200)]
    outcomes = [[plan(spec, replace(truth, prompt=prompt)).outcome for truth in truths] for prompt in ("", "strict")]

    assert outcomes[0] != outcomes[1]
    for truth in truths:
        assert case_rate(spec, truth) == case_rate(spec, replace(truth, prompt="strict"))


@pytest.mark.parametrize(
    "parameter, reason",
    [
        pytest.param("strict.applied=2", "strict.applied=2 is not within 0..1", id="no share"),
        pytest.param("strict.drift=.5", "has no parameter 'strict.drift'", id="no rate"),
        pytest.param(".applied=.5", "has no parameter '.applied'", id="no prompt"),
        pytest.param("strict.spread=.5", "applied +- spread leaves 0..1", id="a spread that cannot be kept"),
    ],
)
def test_a_wrong_rate_of_a_prompt_is_one_line(parameter: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        parse_spec(f"sim/any?{parameter}")
