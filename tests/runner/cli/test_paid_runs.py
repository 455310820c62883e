"""Before a run: plain http to other machines is refused, and nothing that may cost money starts unasked."""

import os
from pathlib import Path

import pytest
from typer.main import get_command

from runner.cli import app
from runner.cli.defaults import commands_of, options_of
from runner.errors import InputError
from runner.execution.isolation import NOT_WEAK, Weak, permitted
from tests.runner.cli.conftest import Call
from tests.runner.cli.listening import listening

CASES = Path(__file__).parents[3] / "cases" / "diff_edit"
DIFF = ("diff", "--cases", CASES, "--max-cases", 1, "--max-attempts-per-case", 1)
KEY = "sk-planted-0123456789"


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_command_that_takes_a_base_url_can_allow_plain_http() -> None:
    taking = {path: options_of(command) for path, command in commands_of(get_command(app))}

    assert [path for path, options in taking.items() if "base-url" in options and "insecure-http" not in options] == []
    assert sum("base-url" in options for options in taking.values()) >= 7


@pytest.mark.parametrize("model", ["openai/x", "vllm/x", "anthropic/x", "openai-sdk/x", "anthropic-sdk/x"])
@pytest.mark.parametrize("host", ["198.51.100.7:8000", "server.example", "127.0.0.1.example", "0.0.0.0:8000"])
def test_plain_http_to_another_machine_is_refused(
    model: str, host: str, desk: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    done = call(*DIFF, "--model-ids", model, "--base-url", f"http://{host}/v1", "--yes")

    assert done.code == 2
    assert done.err.count("\n") == 1
    assert f"http://{host}/v1 is plain http" in done.err
    assert done.err.endswith("allow it with --insecure-http\n")
    assert list(desk.iterdir()) == []


def test_plain_http_of_a_variable_is_refused_too(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_BASE_URL", "http://198.51.100.7/v1")

    assert "is plain http" in call(*DIFF, "--model-ids", "ollama/x").err


def test_litellm_is_refused_plain_http_of_its_own_variables(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOSTED_VLLM_API_BASE", "http://198.51.100.7/v1")

    assert "is plain http" in call(*DIFF, "--model-ids", "litellm/hosted_vllm/x").err


@pytest.mark.parametrize("variable", [True, False], ids=["by EVALS_INSECURE_HTTP", "by --insecure-http"])
def test_plain_http_can_be_allowed(variable: bool, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    if variable:
        monkeypatch.setenv("EVALS_INSECURE_HTTP", "1")

    words = () if variable else ("--insecure-http",)
    done = call(*DIFF, "--model-ids", "vllm/x", "--base-url", "http://198.51.100.7/v1", "--dry-run", *words)

    assert done.code == 0


@pytest.mark.parametrize("host", ["localhost:9", "127.0.0.1:9", "127.1.2.3:9", "[::1]:9"])
def test_plain_http_to_this_machine_is_allowed(host: str, call: Call) -> None:
    assert call(*DIFF, "--model-ids", "vllm/x", "--base-url", f"http://{host}/v1", "--dry-run").code == 0


def test_a_paid_run_without_a_terminal_needs_consent(desk: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    done = call(*DIFF, "--model-ids", "openai/gpt-5-mini", "--save-locally", "out", "--run-id", "paid")

    last = done.err.splitlines()[-1]
    assert done.code == 2
    assert last == "evals: asking openai/gpt-5-mini may cost money, and there is no terminal to confirm on: give --yes"
    assert list(desk.iterdir()) == []


def test_a_dry_run_needs_no_consent(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    assert call(*DIFF, "--model-ids", "openai/gpt-5-mini", "--dry-run").code == 0


def test_a_server_on_this_machine_needs_no_consent(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with listening() as server:
        call(*DIFF, "--model-ids", "openai/x", "--base-url", server.url)

    assert (server.heard, set(server.tried)) == ([KEY], {KEY})


class TestWeakSandbox:
    @pytest.fixture(autouse=True)
    def no_means(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A machine without the programs that make a sandbox."""
        monkeypatch.setenv("PATH", str(tmp_path))

    def test_it_is_never_used_unasked(self) -> None:
        with pytest.raises(InputError, match="or give --weak-sandbox"):
            permitted(NOT_WEAK)

    @pytest.mark.parametrize("user,name", [(0, "root"), (1000, "you")])
    def test_what_tests_may_do_is_said_once_in_full(
        self, user: int, name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("os.geteuid", lambda: user)
        # As with a kernel that knows no Landlock.
        monkeypatch.setattr("runner.execution.isolation.LANDLOCK", os.devnull)

        isolation = permitted(Weak(allowed=True, confirmed=True))

        said = capsys.readouterr().err
        assert isolation.means == ("process-group",)
        assert said.count("\n") == 1
        assert f"all permissions of {name}" in said
        assert all(word in said for word in ("read, change and delete", "secrets", "network", "processes"))

    def test_root_must_agree_to_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("os.geteuid", lambda: 0)

        with pytest.raises(InputError, match="run as root without a sandbox; give --yes"):
            permitted(Weak(allowed=True))

    def test_another_user_need_not(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("os.geteuid", lambda: 1000)

        assert not permitted(Weak(allowed=True)).whole
