"""A run over simulated models with rates for each prompt, which the run names to them."""

import json
from pathlib import Path

from tests.runner.cli.conftest import Call

MODEL = "sim/any?applied=.2&strict.applied=1&time=virtual"
CASES = Path(__file__).parents[3] / "cases" / "diff_edit"


def test_the_prompt_reaches_the_model_and_its_answers_are_counted_beforehand(tmp_path: Path, call: Call) -> None:
    words = ("diff", "--cases", CASES, "--model-ids", MODEL, "--prompts", "basic,strict", "--parallel", "--json")
    done = call(*words, "--db", tmp_path / "e.db")

    told = json.loads(done.out)
    expected = {row["prompt"]: row["right"] for row in told["expected"]}
    right = {row["prompt"]: row["right"]["estimate"] for row in told["variants"]}
    assert expected["strict"] == 29
    assert expected["basic"] < 15
    assert {prompt: round(29 * rate) for prompt, rate in right.items()} == expected


def test_a_prompt_that_is_not_asked_with_is_refused_before_anything_is_written(tmp_path: Path, call: Call) -> None:
    done = call("diff", "--cases", CASES, "--model-ids", "sim/any?strct.applied=1", "--db", tmp_path / "e.db")

    assert done.code == 2
    assert "has rates for the prompt 'strct', but is asked with basic" in done.err
    assert not (tmp_path / "e.db").exists()
