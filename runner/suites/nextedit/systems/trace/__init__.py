"""TRACE as a system: a gate and services of rules, and three checkpoints, for calling, locating and generating.

After Liu et al., "TRACE", ASE 2025, as Historian runs it. Three points differ: no language server is asked (a rename is
made by its tokens, uses are found by their name, and there are no diagnostics); an insertion stands where its label
does; and where a place is given, its labels say no more than the place does.
"""

from runner.suites.nextedit.systems.trace.editor import Trace
from runner.suites.nextedit.systems.trace.models import Checkpoints, Models, TraceSettings

__all__ = ["Checkpoints", "Models", "Trace", "TraceSettings"]
