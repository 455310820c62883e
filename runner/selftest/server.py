"""The simulated server as a process of its own, as `evals serve-sim` starts it, and what it says it did."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.request import ProxyHandler, build_opener

from suts.simulated.journal import JournalEntry
from suts.simulated.usage import Counted

_COMMAND = (sys.executable, "-P", "-c", "from runner.cli import main; main()", "serve-sim")
_PATIENCE_S = 10


@dataclass(frozen=True, slots=True)
class SimulatedServer:
    """Where it listens."""

    url: str

    def log(self) -> list[JournalEntry]:
        """Return what it did so far, request by request."""
        # A proxy that the environment names is not for loopback.
        with build_opener(ProxyHandler({})).open(f"{self.url}/_sim/log", timeout=_PATIENCE_S) as answer:
            return [_entry(values) for values in json.load(answer)]


@contextmanager
def serving(options: Sequence[str]) -> Iterator[SimulatedServer]:
    """Run a server for the length of a block. Raises RuntimeError when it does not start; its reason is on stderr."""
    with subprocess.Popen([*_COMMAND, *options], stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - ours
        try:
            assert process.stdout is not None
            first_line = process.stdout.readline()
            if not first_line:
                raise RuntimeError("the simulated server did not start")
            yield SimulatedServer(first_line.split()[-1])
        finally:
            process.kill()


def _entry(values: dict[str, Any]) -> JournalEntry:
    usage = values["usage"]
    return JournalEntry(**{**values, "usage": Counted(**usage) if usage else None})
