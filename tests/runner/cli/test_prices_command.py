"""`evals prices`: the dated table, filtered, refreshed from a file, saved."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from runner.prices import load_prices
from runner.records import Tokens
from tests.runner.cli.conftest import Call

OURS = {
    "date": "2099-01-02",
    "models": [
        {"model": "openai/gpt-new", "input": 1.5, "output": 6, "cache_read": 0.15, "window": 400000},
        {"model": "anthropic/claude-new", "input": 3, "output": 15, "reasoning": 16},
    ],
}  # fmt: skip
LITELLM = {
    "sample_spec": {"mode": "one of: chat, embedding", "litellm_provider": "one of them"},
    "gpt-new": {
        "mode": "chat", "litellm_provider": "openai", "max_input_tokens": 400000,
        "input_cost_per_token": 1.5e-06, "output_cost_per_token": 6e-06, "cache_read_input_token_cost": 1.5e-07,
    },
    "gemini/gemini-new": {
        "mode": "chat", "litellm_provider": "gemini", "input_cost_per_token": 1.25e-06, "output_cost_per_token": 1e-05,
        "input_cost_per_token_above_200k_tokens": 2.5e-06, "output_cost_per_token_above_200k_tokens": 1.5e-05,
        "output_cost_per_reasoning_token": 1.2e-05,
    },
    "openrouter/qwen/qwen-new": {
        "mode": "chat", "litellm_provider": "openrouter", "input_cost_per_token": 2e-07, "output_cost_per_token": 8e-07,
    },
    "text-embedding-new": {"mode": "embedding", "litellm_provider": "openai", "input_cost_per_token": 1e-08},
    "gpt-unpriced": {"mode": "chat", "litellm_provider": "openai"},
    "bedrock/claude": {
        "mode": "chat", "litellm_provider": "bedrock", "input_cost_per_token": 1e-06, "output_cost_per_token": 1e-06,
    },
}  # fmt: skip


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ours.json").write_text(json.dumps(OURS))
    (tmp_path / "litellm.json").write_text(json.dumps(LITELLM))
    os.utime(tmp_path / "litellm.json", (1_800_000_000, 1_800_000_000))
    return tmp_path


def rows(call: Call, *words: object) -> dict[str, dict[str, Any]]:
    return {row["model"]: row for row in json.loads(call("prices", *words, "--json").out)["models"]}


def test_the_table_that_comes_along_is_shown_with_its_date(call: Call) -> None:
    done = call("prices")

    assert done.code == 0
    assert done.err == ""
    assert f"list prices of {load_prices().date}, USD per million tokens" in done.out
    assert len(rows(call)) == len(load_prices().models)


def test_only_models_that_match_are_shown(call: Call) -> None:
    found = rows(call, "claude", "gpt-5")

    assert found
    assert all("claude" in name or "gpt-5" in name for name in found)
    assert len(found) < len(rows(call))


def test_nothing_that_matches_is_an_empty_table(call: Call) -> None:
    assert rows(call, "no-such-model") == {}


def test_a_table_of_ones_own_takes_the_snapshot_s_place(call: Call) -> None:
    assert list(rows(call, "--prices", "ours.json")) == ["openai/gpt-new", "anthropic/claude-new"]


def test_a_table_of_our_form_adds_to_the_snapshot_and_dates_it(call: Call) -> None:
    told = json.loads(call("prices", "--from", "ours.json", "--json").out)
    found = {row["model"]: row for row in told["models"]}

    assert told["date"] == "2099-01-02"
    assert found["openai/gpt-new"] == OURS["models"][0]
    assert len(found) == len(load_prices().models) + 2


def test_litellm_s_table_is_read_per_million_tokens_with_classes_tiers_and_windows(call: Call) -> None:
    found = rows(call, "--from", "litellm.json", "new")

    assert found["openai/gpt-new"] == {
        "model": "openai/gpt-new", "input": 1.5, "output": 6.0, "cache_read": 0.15, "window": 400000,
    }  # fmt: skip
    assert found["google/gemini-new"]["tiers"] == [{"above": 200000, "input": 2.5, "output": 15.0}]
    assert found["google/gemini-new"]["reasoning"] == 12.0
    assert "openrouter/qwen/qwen-new" in found


@pytest.mark.parametrize("name", ["embedding", "unpriced", "bedrock", "sample"])
def test_what_is_no_priced_chat_model_of_a_known_provider_is_left_out(name: str, call: Call) -> None:
    assert rows(call, "--from", "litellm.json", name).keys() == rows(call, name).keys()


def test_litellm_s_table_has_the_date_of_its_file(call: Call) -> None:
    told = json.loads(call("prices", "--from", "litellm.json", "--json").out)

    assert told["date"] == "2027-01-15"


def test_a_refreshed_table_is_saved_and_can_be_used(call: Call, desk: Path) -> None:
    done = call("prices", "--from", "litellm.json", "--save", "saved.json")
    prices = load_prices(desk / "saved.json")

    assert done.code == 0
    assert "written to saved.json; use them with --prices saved.json" in done.err
    assert prices.cost("google/gemini-new", Tokens(input=1_000_000, output=0)) == 2.5
    assert len(prices.models) > len(load_prices().models)
    assert rows(call, "--prices", "saved.json") == rows(call, "--from", "litellm.json")


def test_a_saved_table_prices_a_run_within_a_budget(call: Call) -> None:
    words = ("--cases", Path(__file__).parents[3] / "cases" / "diff_edit", "--max-cases", 1, "--budget", 5, "--dry-run")
    told = ("--model-ids", "vllm/any", "--base-url", "http://127.0.0.1:9/v1")
    table = {"date": "2026-01-01", "models": [{"model": "vllm/any", "input": 1, "output": 1}]}
    Path("mine.json").write_text(json.dumps(table))

    assert call("diff", *words, *told).code == 2
    assert call("diff", *words, *told, "--prices", "mine.json").code == 0


@pytest.mark.parametrize(
    "text,words",
    [
        pytest.param("{", "cannot be read as JSON", id="no JSON"),
        pytest.param("[]", "is no price table", id="a list"),
        pytest.param("{}", "holds no price of a chat model", id="nothing"),
        pytest.param('{"models": [{"model": "a/b"}]}', "not a price table", id="a model without prices"),
        pytest.param('{"date": "x", "models": [{"model": "a/b", "input": -1, "output": 1}]}', "not a", id="below 0"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_table_is_one_line(text: str, words: str, call: Call, desk: Path) -> None:
    (desk / "bad.json").write_text(text)

    done = call("prices", "--from", "bad.json")

    assert done.code == 2
    assert done.err.startswith("evals: bad.json: ")
    assert words in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    "words,told",
    [
        pytest.param(("--from", "nowhere.json"), "nowhere.json: cannot be read as JSON", id="no file"),
        pytest.param(("--save", "x.json"), "--save: writes a refreshed table; give the newer", id="nothing to save"),
        pytest.param(("--from", "ours.json", "--save", "no/x.json"), "--save no/x.json: cannot be", id="no folder"),
    ],
)
def test_what_cannot_be_read_or_written_is_one_line(words: tuple[str, ...], told: str, call: Call) -> None:
    done = call("prices", *words)

    assert done.code == 2
    assert done.err.startswith(f"evals: {told}")
