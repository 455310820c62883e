"""Historian (code-philia, March 2026) as it is: extraction, matching, loop and result file, defects included.

A package and not one module because it is four ideas: snapshots of a diff, paths of constructs, matching, the loop.
"""

from runner.suites.nextedit.historian.matching import UnfitAnswerError
from runner.suites.nextedit.historian.replay import (
    FILL,
    CommitContext,
    HistorianRun,
    Payload,
    Surroundings,
    System,
    replay,
    write_result,
)
from runner.suites.nextedit.historian.snapshots import RefusedError, Snapshots, extract

__all__ = [
    "FILL",
    "CommitContext",
    "HistorianRun",
    "Payload",
    "RefusedError",
    "Snapshots",
    "Surroundings",
    "System",
    "UnfitAnswerError",
    "extract",
    "replay",
    "write_result",
]
