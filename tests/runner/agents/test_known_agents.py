"""Real coding agents against the simulated server, where they are in PATH: their versions decide what they send."""

import json
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.main_job import ROOT, evals, exported, serving
from tests.runner.cells import running

MODEL = "sim/any?applied=1"
PROVIDER = {"name": "proxy", "base_url": "{proxy}/v1", "wire_api": "responses", "env_key": "OPENAI_API_KEY"}
CODEX = {"model": MODEL, "model_provider": "proxy", "model_providers": {"proxy": PROVIDER}}
CODEX_OPTIONS = " ".join(f"-c model_providers.proxy.{name}={value}" for name, value in PROVIDER.items())
OPENCODE = {
    "model": f"proxy/{MODEL}",
    "small_model": f"proxy/{MODEL}",
    "provider": {
        "proxy": {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": "{proxy}/v1", "apiKey": "none"},
            "models": {MODEL: {}},
        }
    },
}
GEMINI = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": False}}
OFFLINE = "OPENCODE_DISABLE_MODELS_FETCH=1 OPENCODE_DISABLE_AUTOUPDATE=1"
CLINE = '"$0" auth openai-compatible -k none -m "$1" -b "$OPENAI_BASE_URL" && exec "$0" --json -P "$2" -m "$1" "$3"'
MINI = "MSWEA_CONFIGURED=true MSWEA_COST_TRACKING=ignore_errors LITELLM_LOCAL_MODEL_COST_MAP=True"


@dataclass(frozen=True)
class Known:
    """A program, its version as it states it by an option, what to install, and its name as a system under test."""

    program: str
    version: str
    install: str
    command: str
    option: str = "--version"
    model: str = MODEL

    @property
    def missing(self) -> str:
        """Why it cannot be tried here, "" if it can."""
        if (path := shutil.which(self.program)) is None:
            return f"no `{self.program}` in PATH; {self.install}"
        shown = subprocess.run([path, self.option], capture_output=True, text=True, timeout=120, check=False).stdout
        return "" if self.version in shown else f"`{self.program}` is {shown.strip()[:80]}, not {self.version}"


def setting(name: str, values: Mapping[str, object]) -> str:
    return f"{name}='{json.dumps(values)}'"


KNOWN = {
    "codex": Known(
        "codex",
        "0.169.0",
        "npm install @openai/codex@0.169.0",
        f"agent:codex exec --json --skip-git-repo-check -s danger-full-access -m {MODEL} -c model_provider=proxy "
        f"{CODEX_OPTIONS} -c analytics.enabled=false -",
    ),
    "codex by the protocol": Known(
        "codex-acp",
        "2.6.0",
        "npm install @agentclientprotocol/codex-acp@2.6.0",
        f"acp:INITIAL_AGENT_MODE=agent-full-access {setting('CODEX_CONFIG', CODEX)} codex-acp",
    ),
    "mini-swe-agent": Known(
        "mini",
        "2.4.6",
        "pip install mini-swe-agent==2.4.6 mcp",
        f"agent:{MINI} mini -t {{task}} -m openai/{MODEL} -y --exit-immediately",
        option="--help",
    ),
    "opencode": Known(
        "opencode",
        "1.18.33",
        "npm install opencode-ai@1.18.33",
        f"agent:{setting('OPENCODE_CONFIG_CONTENT', OPENCODE)} {OFFLINE} opencode run {{task}}",
    ),
    "opencode by the protocol": Known(
        "opencode",
        "1.18.33",
        "npm install opencode-ai@1.18.33",
        f"acp:{setting('OPENCODE_CONFIG_CONTENT', OPENCODE)} {OFFLINE} opencode acp",
    ),
    "gemini": Known(
        "gemini",
        "0.61.0",
        "npm install @google/gemini-cli@0.61.0",
        "agent:GEMINI_CLI_SYSTEM_SETTINGS_PATH=FILE gemini --approval-mode yolo --output-format stream-json "
        "--skip-trust -m sim/any",
        model="sim/any",
    ),
    "gemini by the protocol": Known(
        "gemini",
        "0.61.0",
        "npm install @google/gemini-cli@0.61.0",
        "acp:gemini --acp --skip-trust -m sim/any",
        model="sim/any",
    ),
    "qwen": Known(
        "qwen",
        "0.15.10",
        "npm install @qwen-code/qwen-code@0.15.10",
        f"agent:qwen --approval-mode yolo --auth-type openai -m {MODEL} --output-format stream-json",
    ),
    "qwen by the protocol": Known(
        "qwen",
        "0.15.10",
        "npm install @qwen-code/qwen-code@0.15.10",
        f"acp:qwen --acp --approval-mode yolo --auth-type openai -m {MODEL}",
    ),
    "cline": Known(
        "cline",
        "3.0.65",
        "npm install cline@3.0.65",
        f"agent:sh -c '{CLINE}' CLINE {MODEL} openai-compatible {{task}}",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", KNOWN)
def test_a_known_agent_edits_at_a_known_cost_and_leaves_nothing_behind(name: str, tmp_path: Path) -> None:
    known = KNOWN[name]
    if reason := known.missing:
        pytest.skip(reason)
    program = Path(shutil.which(known.program) or "")
    db, prices, settings = tmp_path / "evals.db", tmp_path / "prices.json", tmp_path / "settings.json"
    providers = ("openai", "openai-responses", "google")
    models = [{"model": f"{provider}/{known.model}", "input": 1.0, "output": 2.0} for provider in providers]
    prices.write_text(json.dumps({"date": "2026-01-01", "models": models}))
    settings.write_text(json.dumps(GEMINI))
    command = known.command.replace("CLINE", str(program)).replace("=FILE ", f"={settings} ")
    with serving("--ttft-ms", "5", "--gap-ms", "0", "--parameters", "applied=1&valid=1") as served:
        once = ("--base-url", f"{served.url}/v1", "--max-cases", 1, "--prices", prices, "--db", db)
        done = evals("diff", command, *once)
        log = served.log()

    assert done.returncode == 0, done.stderr
    (row,) = exported(db)
    tokens = [sum(entry["usage"][side] for entry in log) for side in ("input", "output")]
    assert (row["outcome"], row["equals_expected"]) == ("applied", True)
    assert [row["input_tokens"], row["output_tokens"]] == tokens
    assert row["cost_usd"] == pytest.approx((tokens[0] + 2 * tokens[1]) / 1e6)
    # An edit by a command of a shell has no moment, but for one by `apply_patch`.
    assert (row["time_to_first_edit_ms"] is None) == (name == "mini-swe-agent")
    real = program.resolve()
    assert not running(next((place for place in real.parents if place.name == "node_modules"), program.parent))


def test_the_document_has_a_row_for_each_known_agent_with_its_version() -> None:
    rows = [line for line in (ROOT / "docs" / "agents.md").read_text().splitlines() if line.startswith("|")]

    missing = [known for known in KNOWN.values() if not any(known.program in r and known.version in r for r in rows)]

    assert not missing
