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
from runner.suites.nextedit.historian.snapshots import (
    EditDict,
    RefusedError,
    Snapshot,
    Snapshots,
    edit_of,
    edits_of,
    extract,
    parent_lines,
)

__all__ = [
    "FILL",
    "CommitContext",
    "EditDict",
    "HistorianRun",
    "Payload",
    "RefusedError",
    "Snapshot",
    "Snapshots",
    "Surroundings",
    "System",
    "UnfitAnswerError",
    "edit_of",
    "edits_of",
    "extract",
    "parent_lines",
    "replay",
    "write_result",
]
