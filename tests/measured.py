"""What a program takes: its seconds of CPU and the most memory that it, or a process that it started, had at a time.

A process begins with the peak of the process that started it (Linux keeps it over `exec`): a program that large tests
start would seem as large as they are. So a small program starts it, and says what its child took.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_MEASURE = """
import json, resource, subprocess, sys
code = subprocess.run(sys.argv[2:], check=False).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1], "w") as file:
    json.dump([code, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024], file)
"""


@dataclass(frozen=True, slots=True)
class Measurement:
    """What a program printed, how it ended, and what it took."""

    exit_code: int
    cpu_s: float
    peak_bytes: int
    stdout: bytes
    stderr: bytes


def measure(command: Sequence[str], folder: Path) -> Measurement:
    """Run a command in a folder, with the processes that it starts, and measure it.

    The folder must be one that can be written to: the figures are passed through a file in it.
    """
    figures = folder / ".measured.json"
    program = (sys.executable, "-S", "-c", _MEASURE, figures)
    run = subprocess.run([*program, *command], cwd=folder, capture_output=True, check=False)
    exit_code, cpu_s, peak_bytes = json.loads(figures.read_bytes())
    figures.unlink()
    return Measurement(exit_code, cpu_s, peak_bytes, run.stdout, run.stderr)
