"""The newest client of OpenAI, in an environment of its own, reads the responses of the simulated server."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from suts.simulated.calls import EDIT_TOOL
from tests.main_job import serving

pytestmark = pytest.mark.slow

ASK = f"""
import json, sys
import openai

client = openai.OpenAI(api_key="k", base_url=sys.argv[1], max_retries=0)
schema = {{"type": "object", "properties": {{}}}}
tool = {{"type": "function", "name": "{EDIT_TOOL}", "strict": False, "parameters": schema}}
headers = {{"x-evals-case": "yaml_ci_pipeline", "x-evals-attempt": "1"}}
found = {{"version": openai.__version__}}
words = {{"model": "any?reasoning=40&valid=1&applied=1", "input": "Change beta.", "store": False}}
for name, more in (("text", {{}}), ("native", {{"tools": [tool]}})):
    whole = client.responses.create(**words, **more, extra_headers=headers)
    with client.responses.stream(**words, **more, extra_headers=headers) as stream:
        kinds = [event.type for event in stream]
        streamed = stream.get_final_response()
    found[name] = [
        {{
            "status": response.status,
            "text": response.output_text,
            "items": [item.type for item in response.output],
            "calls": [[item.name, item.arguments] for item in response.output if item.type == "function_call"],
            "tokens": [response.usage.input_tokens, response.usage.output_tokens],
        }}
        for response in (whole, streamed)
    ]
    found[name + " events"] = sorted(set(kinds))
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def newest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter with nothing but the newest client."""
    folder = tmp_path_factory.mktemp("newest")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / "bin" / "python"
    installed = subprocess.run([python, "-m", "pip", "install", "openai"], capture_output=True, text=True, check=False)
    if installed.returncode:
        pytest.skip(f"the newest openai cannot be had: {installed.stderr.strip().splitlines()[-1]}")
    return python


def test_it_reads_texts_reasoning_calls_and_usage_streamed_as_whole(newest: Path) -> None:
    with serving("--ttft-ms", "1", "--gap-ms", "0") as served:
        asked = subprocess.run(
            [newest, "-c", ASK, f"{served.url}/v1"], capture_output=True, text=True, check=False, timeout=600
        )

    assert asked.returncode == 0, asked.stderr
    found = json.loads(asked.stdout)
    for name in ("text", "native"):
        whole, streamed = found[name]
        assert whole == streamed
        assert whole["status"] == "completed"
        assert whole["items"][0] == "reasoning"
        assert min(whole["tokens"]) > 0
    assert found["text"][0]["text"]
    assert [call[0] for call in found["native"][0]["calls"]] == [EDIT_TOOL]
    assert {"response.output_text.delta", "response.completed"} <= set(found["text events"])
    assert "response.function_call_arguments.delta" in found["native events"]
