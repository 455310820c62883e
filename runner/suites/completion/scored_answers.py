"""The answers of a run as its scorings have them, by model, prompt and chain."""

from collections.abc import Mapping
from typing import Any

from runner.storage.rows import detail_of
from runner.storage.store import Row, Store
from runner.suites.completion.rates import ScoredAnswer, form_of

_SCORED = """
SELECT l.sut, l.prompt, s.parser, l.case_id, s.answer_id, s.scoring_id, s.detail
FROM scorings s JOIN answers a USING (answer_id) JOIN lanes l USING (lane_id)
JOIN variants v ON v.run_id = s.run_id AND v.sut = l.sut AND v.prompt = l.prompt AND v.parser = s.parser
WHERE s.run_id = ? AND s.detail IS NOT NULL ORDER BY v.position, s.scoring_id"""
_SCORES = "SELECT scoring_id, metric, value FROM scores JOIN scorings USING (scoring_id) WHERE run_id = ?"
_UNJUDGED = """
SELECT count(*) AS n FROM answers a JOIN lanes l USING (lane_id)
WHERE l.run_id = ?1 AND a.outcome = 'answered'
    AND NOT EXISTS (SELECT 1 FROM scorings s WHERE s.answer_id = a.answer_id AND s.run_id = ?1)"""


def answers_of(store: Store, run_id: str) -> dict[tuple[str, str, str], dict[int, ScoredAnswer]]:
    """Return the scored answers by (model, prompt, chain) and by their ids, in the order of the variants."""
    scores: dict[int, dict[str, float]] = {}
    for row in store.stream(_SCORES, run_id):
        scores.setdefault(row["scoring_id"], {})[row["metric"]] = row["value"]
    groups: dict[tuple[str, str, str], dict[int, ScoredAnswer]] = {}
    for row in store.stream(_SCORED, run_id):
        detail = detail_of(row)
        # Of agents: an attempt that is not valid is in no figure.
        if "scene" in detail:
            answered = _answered(row["case_id"], detail, scores.get(row["scoring_id"], {}))
            groups.setdefault((row["sut"], row["prompt"], row["parser"]), {})[row["answer_id"]] = answered
    return groups


def unjudged_in(store: Store, run: Row) -> int:
    """Return how many answers are recorded and not judged yet; a replay has none."""
    return 0 if run["replay_of"] else int(store.rows(_UNJUDGED, run["run_id"])[0]["n"])


def _answered(case_id: str, detail: Mapping[str, Any], scores: dict[str, float]) -> ScoredAnswer:
    return ScoredAnswer(
        task_id=case_id,
        scene=form_of(detail["scene"], with_evidence=detail["with_evidence"]),
        block_type=detail["block_type"],
        file=detail["file"],
        missing=detail["missing"],
        verdict=detail.get("verdict"),
        scores=scores,
        weak=detail.get("weak"),
        repo=detail.get("repo", ""),
        hole=detail.get("hole", ""),
    )
