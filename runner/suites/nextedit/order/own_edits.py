"""Edits as annotators cut them, where their tool cut otherwise than git."""

from collections.abc import Sequence
from dataclasses import dataclass

from runner.git import LineRun
from runner.suites.nextedit.bundles import Bundle
from runner.suites.nextedit.commits import Commit, Limits, Span, Touched, gather, split_lines

_ANY_SIZE = Limits(min_edits=0, max_edits=1_000_000, max_files=1_000_000)


@dataclass(frozen=True, slots=True)
class OwnEdit:
    """The lines of a file that an edit takes out of one version and puts into the other; None = unknown."""

    path: str
    parent: Span
    child: Span | None


def commit_with(bundle: Bundle, edits: Sequence[OwnEdit]) -> Commit | None:
    """The commit whose edits are these; None unless they make of every text what it becomes."""
    paths = {touched.path for touched in bundle.files}
    if not all(edit.path in paths for edit in edits):
        return None
    files = []
    for touched in bundle.files:
        runs = _runs([edit for edit in edits if edit.path == touched.path])
        if runs is None or not _fit(touched, runs):
            return None
        files.append((touched, runs))
    commit = gather(bundle.origin, bundle.message, files, bundle.omitted, _ANY_SIZE)
    return commit if isinstance(commit, Commit) else None


def _runs(edits: Sequence[OwnEdit]) -> tuple[LineRun, ...] | None:
    runs = [
        LineRun(edit.parent.start, edit.parent.end, edit.child.start, edit.child.end)
        for edit in edits
        if edit.child is not None
    ]
    ordered = sorted(runs, key=lambda run: (run.old_start, run.old_end, run.new_start))
    return tuple(ordered) if len(runs) == len(edits) else None


def _fit(touched: Touched, runs: Sequence[LineRun]) -> bool:
    """Whether all lines between the runs are the same in both versions."""
    old, new = split_lines(touched.before or ""), split_lines(touched.after or "")
    end = LineRun(len(old), len(old), len(new), len(new))
    at_old = at_new = 0
    for run in (*runs, end):
        if not (
            at_old <= run.old_start <= run.old_end <= len(old) and at_new <= run.new_start <= run.new_end <= len(new)
        ):
            return False
        if old[at_old : run.old_start] != new[at_new : run.new_start]:
            return False
        at_old, at_new = run.old_end, run.new_end
    return True
