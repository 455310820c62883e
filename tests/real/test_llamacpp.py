"""llama.cpp's own server: every suite asks it, what is stored is what it reports, and its limits are kept."""

import json
import re
import shutil
import urllib.request
from pathlib import Path

import pytest

from tests.real.conftest import ROOT, Evals, Rows

pytestmark = pytest.mark.real

CASES = ROOT / "cases"
COMPLETION = ("completion", "run", CASES / "completion" / "shelf.jsonl", "--weak-sandbox", "--yes", "--limit", 2)


def metrics(url: str) -> tuple[int, int]:
    """The prompt tokens that a server has read, and the tokens that it has written, since its start."""
    with urllib.request.urlopen(f"{url}/metrics") as page:  # noqa: S310  # loopback
        text = page.read().decode()
    names = ("prompt_tokens_total", "tokens_predicted_total")
    found = [re.search(rf"^llamacpp:{name} (\d+)", text, re.MULTILINE) for name in names]
    read, written = (int(match[1]) if match else -1 for match in found)
    return read, written


def at(url: str, *, tokens: int = 16) -> tuple[object, ...]:
    return ("--model-ids", "llamacpp/any-name", "--base-url", f"{url}/v1", "--max-tokens", tokens)


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("diff", "--cases", CASES / "diff_edit", "--max-cases", 4, "--parallel"), id="diff"),
        pytest.param(("codrep", "run", CASES / "codrep", "--max-cases", 4, "--parallel"), id="codrep"),
        pytest.param(("nextedit", "--cases", "commits", "--parallel"), id="nextedit"),
    ],
)
def test_the_tokens_that_are_stored_are_those_that_the_server_counted(
    roomy: str, evals: Evals, rows: Rows, words: tuple[object, ...], tmp_path: Path
) -> None:
    (tmp_path / "commits").mkdir()
    shutil.copy(min((CASES / "nextedit").glob("*.json"), key=lambda file: file.stat().st_size), tmp_path / "commits")
    before = metrics(roomy)
    done = evals(*words, *at(roomy), "--max-attempts-per-case", 1)
    after = metrics(roomy)

    ((count, read, written),) = rows(
        "SELECT count(*), sum(input_tokens), sum(output_tokens) FROM answers WHERE outcome = 'answered'"
    )
    assert done.code in {0, 1}, done.err
    assert count > 0
    assert (read, written) == (after[0] - before[0], after[1] - before[1])
    assert rows("SELECT count(*) FROM answers WHERE outcome != 'answered'") == [(0,)]
    assert "context window 8,192 tokens, 2 slots" in done.err
    assert "speed: tokens per second" in done.out


def test_completions_are_asked_by_chat_and_by_infill(roomy: str, evals: Evals, rows: Rows) -> None:
    done = evals(*COMPLETION, *at(roomy), "--prompts", "basic,fim/suffix", "--max-context", 2000)

    assert done.code == 0, done.err
    counts: dict[str, int] = dict(
        rows("SELECT prompt, count(*) FROM answers JOIN lanes USING (lane_id) GROUP BY prompt")
    )
    assert counts == {"completion/basic": 2, "fim/suffix": 2}
    assert rows("SELECT count(*) FROM answers WHERE server_prompt_ms > 0 AND server_output_ms > 0") == [(4,)]
    assert rows("SELECT DISTINCT finish_reason FROM answers WHERE output_tokens = 16") == [("length",)]


@pytest.mark.parametrize(
    "server, words, message",
    [
        pytest.param("roomy", ("--prompts", "fim/qwen2.5-coder"), "tokens, not one", id="marks of another family"),
        pytest.param("roomy", ("--prompts", "fim/suffix", "--provider", "openai"), "ignores the suffix", id="a suffix"),
        pytest.param("narrow", ("--prompts", "fim/suffix"), "Infill is not supported", id="a model without marks"),
    ],
)
def test_what_the_server_would_misread_is_refused_and_nothing_is_written(
    server: str, words: tuple[object, ...], message: str, evals: Evals, request: pytest.FixtureRequest
) -> None:
    done = evals(*COMPLETION, *at(request.getfixturevalue(server)), *words, "--max-context", 2000)

    assert (done.code, message in done.err) == (2, True), done.err


@pytest.mark.parametrize("model, path", [("llamacpp/any", "/v1"), ("anthropic/any", "")])
def test_a_narrow_window_skips_what_cannot_fit_and_the_run_is_complete(
    narrow: str, evals: Evals, rows: Rows, model: str, path: str
) -> None:
    before = metrics(narrow)
    words = ("diff", "--cases", CASES / "diff_edit", "--model-ids", model, "--base-url", f"{narrow}{path}")
    done = evals(*words, "--max-cases", 3, "--max-tokens", 8, "--prompts", "basic")

    assert "3 of 3 questions are skipped: too long for the context window of 2,048 tokens" in done.err
    assert metrics(narrow) == before
    assert rows("SELECT state FROM runs") == [("complete",)]
    assert rows("SELECT count(*) FROM overflows") == [(3,)]


def test_what_just_does_not_fit_is_refused_by_the_server_once_and_for_all(
    narrow: str, evals: Evals, rows: Rows, tmp_path: Path
) -> None:
    # The texts have fewer tokens than the window; those of the chat template come on top.
    (tmp_path / "cases").mkdir()
    details = dict.fromkeys(("cwd_value", "os_value", "shell_value", "home_value"), "x")
    case = {"messages": [{"role": "user", "text": " hello" * 2035}], "file_contents": "a\n", "file_path": "a.txt"}
    (tmp_path / "cases" / "a.json").write_text(json.dumps({**case, "test_id": "a", "system_prompt_details": details}))
    (tmp_path / "short.md").write_text("Edit.")
    words = ("diff", "--cases", tmp_path / "cases", *at(narrow), "--prompts", tmp_path / "short.md", "--run-id", "r")

    done, again = evals(*words), evals(*words)

    assert "skipped" not in done.err
    assert "too long: a of llamacpp/any-name: 400 exceed_context_size_error: request (" in done.err
    assert "resume" not in done.err
    assert again.code == 1
    assert rows("SELECT error_kind, count(*) FROM answers GROUP BY 1") == [("context", 2)]
    assert rows("SELECT state FROM runs") == [("complete",)]
