"""A key follows its source: it goes to the vendor, where the user said, or where its own file says."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runner.cli.conftest import NOT_TRUSTED, Call
from tests.runner.cli.listening import Listener, listening

pytestmark = pytest.mark.usefixtures("project")
KEY, OTHER_KEY = "sk-of-the-user-0123456789", "sk-of-the-project-0123456789"
PING = ("doctor", "--ping", "--model-ids", "openai/gpt-x", "--json")


@pytest.fixture
def gateway() -> Iterator[Listener]:
    """The server that the user has chosen."""
    with listening() as listener:
        yield listener


@pytest.fixture
def stranger() -> Iterator[Listener]:
    """The server that the project's files name."""
    with listening() as listener:
        yield listener


@pytest.fixture
def user(call: Call, gateway: Listener, monkeypatch: pytest.MonkeyPatch) -> Call:
    """A user with a key and a gateway in the environment; a project's OPENAI_BASE_URL would win over the latter."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_BASE", gateway.url)
    return call


class TestDotenv:
    def test_a_base_url_of_dotenv_is_not_used_with_a_key_of_the_environment(
        self, project: Path, user: Call, gateway: Listener, stranger: Listener
    ) -> None:
        (project / ".env").write_text(f"OPENAI_BASE_URL={stranger.url}\n")

        done = user(*PING)

        assert stranger.heard == []
        assert gateway.heard == [KEY]
        assert done.err == f".env: OPENAI_BASE_URL: {NOT_TRUSTED}"

    def test_a_key_of_the_environment_wins_over_dotenv_and_keeps_its_own_server(
        self, project: Path, user: Call, gateway: Listener, stranger: Listener
    ) -> None:
        (project / ".env").write_text(f"OPENAI_BASE_URL={stranger.url}\nOPENAI_API_KEY={OTHER_KEY}\n")

        user(*PING)

        assert stranger.heard == []
        assert gateway.heard == [KEY]

    def test_dotenv_may_pair_its_own_key_with_its_own_server(
        self, project: Path, call: Call, stranger: Listener
    ) -> None:
        (project / ".env").write_text(f"OPENAI_BASE_URL={stranger.url}\nOPENAI_API_KEY={OTHER_KEY}\n")

        done = call(*PING)

        assert stranger.heard == [OTHER_KEY]
        assert done.err == ""

    def test_a_key_of_dotenv_goes_to_the_server_of_the_command_line(
        self, project: Path, call: Call, gateway: Listener, stranger: Listener
    ) -> None:
        (project / ".env").write_text(f"OPENAI_BASE_URL={stranger.url}\nOPENAI_API_KEY={OTHER_KEY}\n")

        call(*PING, "--base-url", gateway.url)

        assert (stranger.heard, gateway.heard) == ([], [OTHER_KEY])

    def test_prompts_without_a_key_do_not_go_to_a_server_of_dotenv(
        self, project: Path, call: Call, stranger: Listener
    ) -> None:
        (project / ".env").write_text(f"VLLM_BASE_URL={stranger.url}\n")

        done = call("doctor", "--model-ids", "vllm/x", "--json")

        assert json.loads(done.out)["models"][0]["base_url"] == "http://127.0.0.1:8000/v1"
        assert done.err == f".env: VLLM_BASE_URL: {NOT_TRUSTED}"

    @pytest.mark.parametrize("provider,variable", [("openai-sdk", "OPENAI"), ("anthropic-sdk", "ANTHROPIC")])
    @pytest.mark.wide
    def test_an_sdk_with_credentials_of_its_own_takes_no_server_of_dotenv(
        self, provider: str, variable: str, project: Path, call: Call, stranger: Listener
    ) -> None:
        (project / ".env").write_text(f"{variable}_BASE_URL={stranger.url}\n{variable}_API_KEY={OTHER_KEY}\n")

        done = call("doctor", "--model-ids", f"{provider}/x", "--json")

        assert json.loads(done.out)["models"][0]["base_url"].startswith("https://api.")
        assert done.err == f".env: {variable}_BASE_URL: {NOT_TRUSTED}"

    def test_the_lists_show_the_server_that_a_key_goes_to(
        self, project: Path, user: Call, gateway: Listener, stranger: Listener
    ) -> None:
        (project / ".env").write_text(f"OPENAI_BASE_URL={stranger.url}\n")

        rows = json.loads(user("models", "--json").out)["providers"]

        (openai,) = [row for row in rows if row["name"] == "openai"]
        assert openai["base_url"] == gateway.url
        assert openai["base_url_from"] == "OPENAI_API_BASE (environment)"

    @pytest.mark.parametrize("once", [True, False], ids=["by --trust", "by evals trust"])
    def test_a_trusted_server_gets_the_key(
        self, once: bool, project: Path, user: Call, gateway: Listener, stranger: Listener
    ) -> None:
        (project / ".env").write_text(f"OPENAI_BASE_URL={stranger.url}\n")

        if not once:
            user("trust", "--yes")
        user(*PING, *(["--trust"] if once else []))

        assert (stranger.heard, gateway.heard) == ([KEY], [])

    def test_trust_for_once_is_not_remembered(
        self, project: Path, user: Call, gateway: Listener, stranger: Listener, tmp_path: Path
    ) -> None:
        (project / ".env").write_text(f"OPENAI_BASE_URL={stranger.url}\n")

        user("--trust", *PING)
        user(*PING)

        assert (stranger.heard, gateway.heard) == ([KEY], [KEY])
        assert not (tmp_path / "state").exists()


class TestConfiguration:
    def test_a_cloned_file_sends_no_key_and_pings_nobody(
        self, project: Path, user: Call, gateway: Listener, stranger: Listener
    ) -> None:
        text = f'base-url = "{stranger.url}"\nyes = true\n[doctor]\nping = true\nmodel-ids = "openai/gpt-x"\n'
        (project / "evals.toml").write_text(text)

        done = user("doctor", "--json")

        assert (stranger.heard, gateway.heard) == ([], [])
        assert done.err == f"evals.toml: base-url, ping: {NOT_TRUSTED}"
        assert json.loads(done.out)["models"][0]["base_url"] == gateway.url

    def test_what_was_typed_is_not_told(self, project: Path, user: Call, gateway: Listener, stranger: Listener) -> None:
        (project / "evals.toml").write_text(f'base-url = "{stranger.url}"\n')

        done = user(*PING, "--base-url", gateway.url)

        assert done.err == ""
        assert gateway.heard == [KEY]
