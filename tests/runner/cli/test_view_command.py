"""`evals view` and `evals diff --open`, as processes: their address, their pages, and how they end."""

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from io import StringIO
from pathlib import Path
from urllib.error import URLError
from urllib.request import HTTPCookieProcessor, build_opener

import pytest

from runner.storage.store import Store
from tests.in_process import evals
from tests.runner.pages.made_pages import three_models

MODEL = "sim/careful?time=virtual"


@contextmanager
def started(*words: str, stdin: int = subprocess.PIPE) -> Iterator[subprocess.Popen[str]]:
    """A command with an interrupt of its own."""
    command = [sys.executable, "-c", "from runner.cli import main; main()", *words]
    pipes = {"stdin": stdin, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    # A command is not interrupted where its parent ignores that.
    heed = "import signal, os, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
    with subprocess.Popen([sys.executable, "-c", heed, *command], text=True, **pipes) as process:  # type: ignore[call-overload]
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def terminal() -> Iterator[int]:
    """A terminal to read from."""
    ends = pty.openpty()
    try:
        yield ends[1]
    finally:
        for end in ends:
            os.close(end)


def fetched(address: str) -> str:
    """The page to which an address leads, as a browser gets it."""
    with build_opener(HTTPCookieProcessor()).open(address) as answer:
        return str(answer.read().decode())


def test_pages_are_served_until_an_interrupt(store: Store) -> None:
    three_models(store)
    with started("view", str(store.path), "--no-browser", "--port", "0") as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()

        assert address.startswith("http://127.0.0.1:")
        assert 'href="/run/r1"' in fetched(address)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()


@pytest.mark.slow
def test_a_run_opens_its_pages_and_leaves_them_open_until_an_interrupt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    path = tmp_path / "evals.db"
    words = ("diff", MODEL, "--max-cases", "1", "--open", "--run-id", "r1", "--db", str(path))
    with terminal() as stdin, started(*words, stdin=stdin) as process:
        assert process.stderr is not None
        lines = iter(process.stderr.readline, "")
        address = ""
        for line in lines:
            address = line.strip() if line.startswith("http://127.0.0.1:") else address
            if "the pages stay open" in line:
                break
        address = address or next(line.strip() for line in lines if line.startswith("http://127.0.0.1:"))

        assert "r1" in fetched(address)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    with pytest.raises(URLError):
        fetched(address)


@pytest.mark.slow
def test_without_a_terminal_the_pages_end_with_the_run(tmp_path: Path) -> None:
    path = tmp_path / "evals.db"
    with started("diff", MODEL, "--max-cases", "1", "--open", "--run-id", "r1", "--db", str(path)) as process:
        _, errors = process.communicate(timeout=60)

    assert process.returncode == 0
    assert "stay open" not in errors


def test_a_database_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    done = evals("view", "nowhere.db", "--no-browser", cwd=tmp_path)

    assert done.returncode == 2
    assert done.stderr == "evals: nowhere.db: no such database; make one with `evals diff`, or name another with --db\n"


def test_wrong_counts_are_said_and_counted_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO())
    with closing(Store.open(tmp_path / "evals.db")) as store:
        three_models(store)
        store.execute("UPDATE scoring_tallies SET n = 9 WHERE class = 'right'")
    words = ("view", "--no-browser", "--port", "0", "--rebuild", "--until-input-ends")

    first = evals(*words, cwd=tmp_path)
    second = evals(*words, cwd=tmp_path)

    assert "scoring_tallies: 43 counts were wrong and are counted again" in first.stderr
    assert "the summary tables are right" in second.stderr
