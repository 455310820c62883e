"""Behind a proxy: what a run's header and `evals doctor` show of it, and what is refused."""

import json
from pathlib import Path

import pytest

from tests.runner.cli.conftest import Call

CASES = Path(__file__).parents[3] / "cases" / "diff_edit"
ASK = ("diff", "--cases", CASES, "--max-cases", 1, "--model-ids", "openai/gpt-5-mini")
PASSWORD = "planted-password"  # noqa: S105
PROXY = f"http://someone:{PASSWORD}@proxy.example:3128"


@pytest.fixture(autouse=True)
def desk(project: Path, monkeypatch: pytest.MonkeyPatch, call: Call) -> Path:  # noqa: ARG001 - deletes keys
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-0123456789")
    return project


def test_the_header_shows_the_proxy_without_its_credentials(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", PROXY)

    shown = call(*ASK, "--dry-run")
    data = json.loads(call(*ASK, "--dry-run", "--json").out)

    assert "(https://api.openai.com/v1, through the proxy http://proxy.example:3128)" in shown.err
    assert data["systems"][0]["proxy"] == "http://proxy.example:3128"
    assert PASSWORD not in shown.err + shown.out + str(data)


def test_a_proxy_of_a_projects_file_is_never_used(call: Call, desk: Path) -> None:
    (desk / ".env").write_text(f"HTTPS_PROXY={PROXY}\nSSL_CERT_FILE=/nowhere\n")

    done = call(*ASK, "--dry-run")

    assert done.code == 0
    assert "proxy" not in done.err


def test_a_socks_proxy_is_refused_before_anything_is_written(
    call: Call, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", f"socks5://someone:{PASSWORD}@127.0.0.1:9050")

    done = call(*ASK, "--yes")

    assert done.code == 2
    assert done.err == (
        "evals: --model-ids: ALL_PROXY: socks5://127.0.0.1:9050 is a SOCKS proxy, which is not supported; "
        "set it to an http:// proxy, or name the server in NO_PROXY\n"
    )
    assert list(desk.iterdir()) == []


def test_a_socks_proxy_does_not_keep_a_server_on_this_machine_from_being_asked(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9050")

    assert call(*ASK, "--base-url", "http://localhost:9/v1", "--dry-run").code == 0


def test_doctor_shows_proxies_and_what_is_wrong_with_them(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", PROXY)
    monkeypatch.setenv("http_proxy", "socks4://127.0.0.1:9050")

    checks = {row["name"]: row for row in json.loads(call("doctor", "--json").out)["checks"]}

    assert checks["https proxy"] == {"name": "https proxy", "state": "ok", "detail": "http://proxy.example:3128"}
    assert checks["http proxy"]["state"] == "bad"
