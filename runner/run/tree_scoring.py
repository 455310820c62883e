"""Scores the answer of a coding agent that was to change one file: what differs in its working folder."""

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runner.agents.answers import figures_in
from runner.agents.limits import ENDINGS
from runner.agents.tree_difference import TreeDifference, difference_in
from runner.records import Completion, Outcome, Scoring
from runner.run.diff_scoring import EditedFile, edit_scores, line_changes
from runner.storage.rows import to_json
from runner.syntax import language_of, parses
from runner.variant import AGENT_READING

_FIGURES = ("turns", "files_read", "wasted_calls")


def path_in_folder(case: EditedFile) -> str:
    """Return the path of a case's file within a working folder, "" where it has none."""
    path = posixpath.normpath(case.file_path.replace("\\", "/")).lstrip("/")
    parts = path.split("/")
    return "" if path in ("", ".") or {"..", ".git"} & {*parts} or "\0" in path else path


def tree_scoring(case: EditedFile, completion: Completion) -> Scoring:
    """Return the scoring of an answer. Pure: the folder is gone."""
    tree, figures, path = difference_in(completion.text), figures_in(completion.text), path_in_folder(case)
    outcome, why = tree_outcome(tree, path, completion.finish_reason)
    rest = _measured(case, tree, path) if tree is not None and path in tree.changed else _Measures()
    scores = agent_scores(figures)
    if outcome.valid and case.expected_contents and rest.edited is not None:
        scores |= edit_scores(case, rest.edited)
    return Scoring(
        outcome=outcome,
        valid=outcome.valid,
        parser=AGENT_READING,
        error_text=why,
        num_edits=None,
        lines_added=rest.added,
        lines_removed=rest.removed,
        edited=rest.edited,
        parses_before=rest.before,
        parses_after=rest.after,
        equals_expected=rest.edited in case.expected_contents if outcome.valid and case.expected_contents else None,
        scores=scores,
        detail=to_json(agent_detail(figures, tree)),
        answer_id=completion.answer_id,
    )


def agent_scores(figures: Mapping[str, Any]) -> dict[str, float]:
    """Return the numbers that an attempt is scored by, whatever it answered."""
    return {name: float(value) for name in _FIGURES if isinstance(value := figures.get(name), int)}


def agent_detail(figures: Mapping[str, Any], tree: TreeDifference | None) -> Mapping[str, object]:
    """Return what a scoring keeps of an attempt: its figures, and the paths of the files that differ."""
    return {"agent": {**figures, "paths": [*(tree.paths if tree else ())]}}


def tree_outcome(tree: TreeDifference | None, path: str, ended: str | None) -> tuple[Outcome, str | None]:
    """Return the outcome of an attempt that was to change the file at `path` alone, and why it is not valid.

    `ended` is how the attempt ended. A limit comes first: what an agent had done until then is no answer.
    """
    if (limit := ENDINGS.get(ended or "")) is not None:
        return limit, None
    if tree is None or not tree.paths:
        return Outcome.NO_ANSWER, "no file was changed"
    if tree.paths == (path,) and path in tree.changed:
        return Outcome.APPLIED, None
    others = [other for other in tree.paths if other != path or path not in tree.changed]
    return Outcome.OTHER_FILE, f"changed {', '.join(others[:5])}"


@dataclass(frozen=True, slots=True)
class _Measures:
    """What is measured of a changed file; None = not."""

    edited: str | None = None
    added: int | None = None
    removed: int | None = None
    before: bool | None = None
    after: bool | None = None


def _measured(case: EditedFile, tree: TreeDifference, path: str) -> _Measures:
    edited = tree.changed[path]
    added, removed = line_changes(case.file_contents, edited)
    language = case.language or language_of(case.file_path)
    before = parses(case.file_contents, language) if language is not None else None
    after = parses(edited, language) if before and language is not None else None
    return _Measures(edited, added, removed, before, after)
