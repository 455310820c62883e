"""`evals models|prompts|parsers|algorithms|metrics`: what there is to choose from."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from diff_apply import DIFF_ALGORITHMS
from parsers import PARSERS
from prompts import PROMPTS, load
from runner.digests import algorithm_digest, parser_digest
from runner.metrics import METRICS
from suts import PROVIDERS
from suts.connection import fingerprint
from suts.simulated.spec import PRESETS
from tests.runner.cli.conftest import Call

KEY = "sk-planted-0123456789"
REGISTRIES: dict[str, Mapping[str, object]] = {
    "prompts": PROMPTS,
    "parsers": PARSERS,
    "algorithms": DIFF_ALGORITHMS,
    "metrics": METRICS,
}


@pytest.fixture(autouse=True)
def _desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("kind", REGISTRIES)
def test_every_registered_name_is_listed_with_a_line(kind: str, call: Call) -> None:
    rows = json.loads(call(kind, "--json").out)

    assert [row["name"] for row in rows] == list(REGISTRIES[kind])
    assert all(row["line"] for row in rows)


def test_digests_are_those_that_results_are_kept_with(call: Call) -> None:
    prompts = json.loads(call("prompts", "--json").out)
    parsers = json.loads(call("parsers", "--json").out)
    algorithms = json.loads(call("algorithms", "--json").out)

    assert {row["name"]: row["digest"] for row in prompts} == {name: load(name).digest for name in PROMPTS}
    assert {row["name"]: row["digest"] for row in parsers} == {name: parser_digest(name) for name in PARSERS}
    assert {row["name"]: row["digest"] for row in algorithms} == {
        name: algorithm_digest(name) for name in DIFF_ALGORITHMS
    }


def test_a_metric_of_two_in_a_row_has_its_own_range(call: Call) -> None:
    rows = {row["name"]: row["line"] for row in json.loads(call("metrics", "--json").out)}

    assert rows["nes"].startswith("0..1, ")
    assert rows["ed"].startswith("<= 0, ")


@pytest.mark.parametrize("kind", [*REGISTRIES, "models"])
def test_a_list_is_a_table_for_people(kind: str, call: Call) -> None:
    first = min(REGISTRIES.get(kind, PROVIDERS))

    done = call(kind)

    assert done.code == 0
    assert done.err == ""
    assert first in done.out


def test_models_tell_every_provider_and_every_simulated_model_with_its_rates(call: Call) -> None:
    told = json.loads(call("models", "--json").out)
    careful = next(one for one in told["simulated"] if one["name"] == "sim/careful")

    assert [one["name"] for one in told["providers"]] == list(PROVIDERS)
    assert len(told["simulated"]) == len(PRESETS)
    assert careful["simulated"] is True
    assert (careful["valid"], careful["applied"]) == (PRESETS["careful"].valid, PRESETS["careful"].applied)


def test_a_key_is_told_by_its_fingerprint_and_its_place_alone(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    (tmp_path / ".env").write_text(f"ANTHROPIC_API_KEY={KEY}\nOPENAI_API_KEY=another\n")

    shown, data = call("models"), call("models", "--json")
    rows = {row["name"]: row for row in json.loads(data.out)["providers"]}

    assert rows["openai"]["key_fingerprint"] == fingerprint(KEY)
    assert rows["openai"]["key_from"] == "OPENAI_API_KEY (environment)"
    assert rows["anthropic"]["key_from"] == f"ANTHROPIC_API_KEY ({tmp_path / '.env'})"
    assert "OPENROUTER_API_KEY is missing" in shown.out
    assert KEY not in shown.out + data.out


def test_a_base_url_is_told_with_its_variable(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLLM_BASE_URL", "https://there.example/v1/")

    rows = {row["name"]: row for row in json.loads(call("models", "--json").out)["providers"]}

    assert rows["vllm"]["base_url"] == "https://there.example/v1"
    assert rows["vllm"]["base_url_from"] == "VLLM_BASE_URL (environment)"
    assert rows["ollama"]["base_url_from"] == "default"


def test_priced_models_are_counted_in_the_table_that_was_given(call: Call, tmp_path: Path) -> None:
    models = [{"model": name, "input": 1, "output": 2} for name in ("openai/a", "openai/b", "anthropic/c")]
    (tmp_path / "prices.json").write_text(json.dumps({"date": "2026-01-01", "models": models}))

    rows = {
        row["name"]: row for row in json.loads(call("models", "--json", "--prices", "prices.json").out)["providers"]
    }

    assert rows["openai"]["priced_models"] == 2
    assert rows["anthropic"]["priced_models"] == 1
    assert rows["openrouter"]["priced_models"] == 3
    assert rows["vllm"]["priced_models"] == 0


def test_a_base_url_with_credentials_is_refused_without_showing_them(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"https://ada:{KEY}@host.example/v1")

    shown, data = call("models"), call("models", "--json")

    assert KEY not in shown.out + data.out
    assert "OPENAI_BASE_URL (environment): openai: the base URL holds credentials" in " ".join(shown.out.split())
