"""The scorings of a coding agent's attempt at a hole: as a model's where the hole is filled, else without a filling."""

from collections.abc import Iterable
from dataclasses import replace

from runner.agents.answers import figures_in
from runner.agents.tree_difference import difference_in
from runner.json_texts import stored_json
from runner.records import Outcome, Scoring
from runner.run.tree_scoring import agent_detail, agent_scores
from runner.storage.rows import to_json
from runner.suites.completion.agent_filling import Unfilled
from runner.suites.completion.chains import Chain
from runner.suites.completion.dataset import Task
from runner.suites.completion.score import group_of


def with_attempt(scorings: Iterable[Scoring], answer: str) -> tuple[Scoring, ...]:
    """Return the scorings with what is kept of the attempt itself."""
    figures = figures_in(answer)
    agent, scores = agent_detail(figures, difference_in(answer)), agent_scores(figures)
    return tuple(
        replace(
            scoring,
            scores={**scoring.scores, **scores},
            detail=to_json({**stored_json(scoring.detail or "{}"), **agent}),
        )
        for scoring in scorings
    )


def unfilled_scorings(
    task: Task, unfilled: Unfilled, chains: Iterable[Chain], answer: str, answer_id: int | None
) -> tuple[Scoring, ...]:
    """Return a scoring for each chain of an attempt without a filling; one that is not valid is in no figure."""
    outcome = unfilled.outcome
    if outcome is Outcome.UNSOLVED and not task.tests:
        outcome = Outcome.UNTESTED
    scoring = Scoring(
        outcome,
        outcome.valid,
        error_text=unfilled.why,
        scores={"pass": 0.0} if outcome is Outcome.UNSOLVED else {},
        detail=to_json(group_of(task) if outcome.valid else {}),
        answer_id=answer_id,
    )
    return with_attempt((replace(scoring, parser=chain.name) for chain in chains), answer)
