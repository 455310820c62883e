"""LLMock refuses and breaks answers, and then judges how its client took that: strictly, on both wires."""

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.real.conftest import ROOT, Evals, Rows, free_port, program, running

Proxy = Callable[[str, Path], AbstractContextManager[str]]
pytestmark = pytest.mark.real

WIRES = [
    pytest.param("openai/gpt-4o", "/v1", id="openai"),
    pytest.param("anthropic/claude-sonnet-4-5", "/anthropic", id="anthropic"),
]
NGINX = """
{user}
pid {folder}/nginx.pid; error_log stderr; events {{}}
http {{
    access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass {url}; proxy_http_version 1.1; }} }}
}}
"""
TINYPROXY = """
Port {port}
Listen 127.0.0.1
ReverseOnly Yes
ReversePath "/" "{url}/"
LogLevel Critical
"""


@contextmanager
def nginx(url: str, folder: Path) -> Iterator[str]:
    """A reverse proxy that buffers answers, as nginx does by default."""
    port, file = free_port(), folder / "nginx.conf"
    # Started by root, its workers would be another user, who may not write here.
    user = "user root;" if os.geteuid() == 0 else ""
    file.write_text(NGINX.format(folder=folder, port=port, url=url, user=user))
    with running([program("nginx"), "-c", str(file), "-g", "daemon off;", "-e", "stderr"], port):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def tinyproxy(url: str, folder: Path) -> Iterator[str]:
    """A reverse proxy that speaks HTTP/1.0 to its clients."""
    port, file = free_port(), folder / "tinyproxy.conf"
    file.write_text(TINYPROXY.format(port=port, url=url))
    with running([program("tinyproxy"), "-d", "-c", str(file)], port):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def nothing(url: str, _folder: Path) -> Iterator[str]:
    """No proxy."""
    yield url


@dataclass(frozen=True)
class Judge:
    """LLMock behind a proxy or none: the URL that the client is given, and its verdict."""

    url: str
    report: tuple[str, ...]

    def verdict(self) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(self.report, capture_output=True, text=True, check=False)


@pytest.fixture(params=[nothing, nginx, tinyproxy])
def judge(llmock: str, python: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Judge]:
    proxy: Proxy = request.param
    with proxy(llmock, tmp_path) as url:
        yield Judge(url, (str(python.parent / "llmock"), "report", "--strict", "--url", llmock))


@pytest.mark.parametrize("model, path", WIRES)
def test_faults_are_taken_as_a_strict_judge_wants(
    model: str, path: str, judge: Judge, evals: Evals, rows: Rows
) -> None:
    # One at a time: a wait that another call's complaint causes would be taken for a client without backoff.
    words = ("--max-cases", 20, "--max-attempts-per-case", 1, "--max-tokens", 200, "--yes")
    cases = ("--cases", ROOT / "cases" / "diff_edit")

    done = evals("diff", *cases, *words, "--model-ids", model, "--base-url", f"{judge.url}{path}")

    verdict = judge.verdict()
    faults = re.search(r"(\d+) fault\(s\) injected", verdict.stdout)
    assert rows("SELECT outcome, count(*) FROM answers GROUP BY 1") == [("answered", 20)], done.err
    assert faults is not None
    assert int(faults[1]) > 0
    assert verdict.returncode == 0, verdict.stdout + done.err
