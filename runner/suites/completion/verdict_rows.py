"""The verdict on each collected answer, by chain, as data."""

from collections.abc import Sequence

from runner.suites.completion.collected_answers import Judgement
from runner.suites.completion.collected_run import Collected
from runner.suites.completion.score import scores_of


def verdict_rows(collected: Collected, judged: Sequence[Judgement]) -> list[dict[str, object]]:
    """Return a row for each answer and chain, in the order of the answers.

    `verdict` is null for a task without tests; `failing` is the first test that failed.
    """
    return [
        {
            "task_id": answer.task.task_id,
            "model": collected.model(answer),
            "chain": chain,
            "filling": filling.filling,
            "verdict": None if filling.verdict is None else str(filling.verdict.outcome),
            "failing": None if filling.verdict is None else filling.verdict.failing,
            "scores": scores_of(chain, judgement),
        }
        for answer, judgement in zip(collected.answers, judged, strict=True)
        for chain, filling in judgement.items()
    ]
