"""Reports on a terminal: as wide as it is, with styles; without styles where the user wants none."""

import fcntl
import os
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

EVALS = Path(sys.executable).parent / "evals"


def on_terminal(columns: int, *words: str, **variables: str) -> str:
    """What the command writes to a terminal of that width."""
    ours, its = os.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {"PATH": os.environ["PATH"], "TERM": "xterm", **variables}
    command = subprocess.Popen([str(EVALS), *words], stdin=its, stdout=its, stderr=its, env=environment)
    os.close(its)
    parts = []
    try:
        while part := os.read(ours, 65536):
            parts.append(part)
    except OSError:
        # So a terminal says that nobody writes to it any more.
        pass
    os.close(ours)
    assert command.wait(timeout=600) == 0
    return b"".join(parts).decode().replace("\r\n", "\n")


@pytest.mark.parametrize("columns", [50, 80])
def test_a_table_is_as_wide_as_the_terminal(columns: int) -> None:
    lines = on_terminal(columns, "prices", "gpt-5", NO_COLOR="1").splitlines()

    assert max(map(len, lines)) <= columns
    assert lines[-1].endswith("--wide)")


def test_the_width_that_a_user_sets_wins() -> None:
    lines = on_terminal(50, "prices", "gpt-5", NO_COLOR="1", COLUMNS="200").splitlines()

    assert " ".join(lines[3].split()) == "model input cache read cache write output reasoning above window"


def test_titles_have_styles_on_a_terminal() -> None:
    assert on_terminal(80, "parsers").startswith("\x1b[1mparsers\x1b[0m\n")


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["NO_COLOR", "TERM"])
def test_styles_can_be_turned_off(variables: dict[str, str]) -> None:
    assert "\x1b" not in on_terminal(80, "parsers", **variables)
