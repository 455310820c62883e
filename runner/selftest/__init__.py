"""Proves the runner on simulated models: a run has to report their known rates, whatever faults occur on the way."""

import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from runner.selftest.checks import Check, check
from runner.selftest.hardships import checks_under_hardship
from runner.selftest.parts import Parts, Scale
from runner.selftest.tool_trials import checks_of_tools, clocks_of_tools
from runner.selftest.trial import run_trials


@dataclass(frozen=True, slots=True)
class SelftestResult:
    """How a selftest came out; `late_ms` is how late each tick of the client's event loop was."""

    checks: tuple[Check, ...]
    late_ms: tuple[float, ...]

    @property
    def holds(self) -> bool:
        """Return whether every check passes."""
        return all(check.ok for check in self.checks)


def prove(parts: Parts, scale: Scale, folder: Path, say: Callable[[str], None]) -> SelftestResult:
    """Try the parts on simulated models: over each wire with every fault, with each edit tool, and in virtual time.

    The folder has to be empty.

    Where processes can be stopped, the product's own parts are tried under hardship, too.
    """
    served, in_process = run_trials(parts, scale, folder, say)
    checks = tuple(result for evidence in (*served, *in_process) for result in check(evidence))
    if scale.tool_cases:
        checks += tuple(checks_of_tools(parts, scale, folder, say))
        checks += tuple(clocks_of_tools(parts, scale, folder / "clocks", say))
    if hasattr(signal, "SIGSTOP"):
        checks += tuple(checks_under_hardship(scale, folder, folder / "cases"))
    return SelftestResult(checks, tuple(late for evidence in served for late in evidence.late_ms))
