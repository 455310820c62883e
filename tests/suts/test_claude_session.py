"""The script that runs Claude Code by its SDK: its lines are those of the program, and each comes out whole."""

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from suts.claude_session import line_of

ROOT = Path(__file__).parents[2]


@dataclass
class SystemMessage:
    subtype: str
    data: dict[str, object]


@dataclass
class ResultMessage:
    is_error: bool
    num_turns: int
    place: Path


def test_a_line_is_what_the_program_printed_where_the_sdk_keeps_it() -> None:
    own: dict[str, object] = {"type": "system", "subtype": "init", "claude_code_version": "2.1.332"}

    assert json.loads(line_of(SystemMessage("init", own))) == own
    assert json.loads(line_of(ResultMessage(is_error=False, num_turns=3, place=Path("a")))) == {
        "type": "result",
        "is_error": False,
        "num_turns": 3,
        "place": "a",
    }


def test_a_long_line_comes_out_whole_though_the_pipe_does_not_wait() -> None:
    # The program makes it so: both print to one pipe.
    write = "os.set_blocking(1, False); write_whole(b'x' * (1 << 20))"
    script = f"import os; from suts.claude_session import write_whole; {write}"
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout is not None
        # Until the pipe is full.
        time.sleep(0.2)
        printed = process.stdout.read()

    assert process.returncode == 0
    assert len(printed) == 1 << 20
