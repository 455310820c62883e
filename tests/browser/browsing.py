"""The browser of the tests, that of $CHROMIUM or the machine's; and the server of the pages in its own process."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Chromium asks its vendor's hosts at every start unless it is kept from it.
_FLAGS = ("no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-sync")
_QUIET = ("disable-background-networking", "disable-component-update")
_EVALS = (sys.executable, "-c", "from runner.cli import main; main()")


@contextmanager
def chromium() -> "Iterator[Browser]":
    """A browser; the test is skipped where there is none, and fails in CI."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="`make test-browser` installs it")
    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if program is None:
        assert not os.environ.get("CI"), "CI has no chromium; name one in $CHROMIUM"
        pytest.skip("no chromium here; name one in $CHROMIUM")
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=program, args=[f"--{flag}" for flag in _FLAGS + _QUIET])
        yield launched
        launched.close()


@contextmanager
def viewing(db: Path) -> Iterator[str]:
    """`evals view` of a database; the address that lets a browser in."""
    words = [*_EVALS, "view", str(db), "--no-browser", "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            yield server.stdout.readline().strip()
        finally:
            server.terminate()
