"""What Codev-Bench's scores would be, and what they become as each of its defects is fixed, as tables."""

from collections.abc import Sequence

from runner.document import Document, Table
from runner.report.tables import SIMULATED
from runner.suites.completion.answers import from_fence
from runner.suites.completion.codev.files import CodevOutcome
from runner.suites.completion.codev.judging import STEPS, steps_of
from runner.suites.completion.codev.rules import GROUP_NAMES, scores_of, table_row

_HEADS = {
    "original": "as the original",
    "whole": "+ the whole file",
    "told": "+ exit code, report",
    "ours": "+ any fence (ours)",
}
_WHAT = (
    "as the original: the file as the model saw it, the last line that pytest prints, the last closed fence",
    "+ the whole file: what stands behind the hole is tested, also where the model did not see it",
    "+ exit code, report: quiet settings, deselected tests, and what plug-ins print at the end are no failures",
    "+ any fence: an answer whose fence is open, or missing, is no empty answer",
)


def document(outcomes: Sequence[CodevOutcome]) -> Document:
    """Pass rates at every step, and by group as the original gave them."""
    judged = [outcome for outcome in outcomes if outcome.judged]
    if not judged:
        rows = tuple((outcome.mode, _name(outcome), str(len(outcome.predictions))) for outcome in outcomes)
        table = Table("predictions; nothing was checked", ("scene", "model", "predictions"), rows)
        return Document("Codev-Bench", (table,), _notes(outcomes))
    return Document("Codev-Bench", (_steps(judged), _groups(judged)), (*_WHAT, *_notes(outcomes)))


def _notes(outcomes: Sequence[CodevOutcome]) -> tuple[str, ...]:
    return (SIMULATED,) if any(outcome.simulated for outcome in outcomes) else ()


def as_json(outcomes: Sequence[CodevOutcome]) -> list[dict[str, object]]:
    """The same as data: `steps` as {step: {n_all, n_pass}}, `scores` as the original wrote them."""
    return [
        {
            "scene": outcome.mode,
            "model": outcome.model,
            "simulated": outcome.simulated,
            "predictions": len(outcome.predictions),
            "steps": {
                step: {"n_all": counted, "n_pass": passed}
                for step, (counted, passed) in steps_of(outcome.judged).items()
            },
            "scores": scores_of(outcome.scored()) if outcome.judged else None,
            "edit_sim": table_row(outcome.scored(), "edit_sim")[-1] if outcome.judged else None,
            "answers": _answers(outcome),
        }
        for outcome in outcomes
    ]


def _answers(outcome: CodevOutcome) -> list[dict[str, object]]:
    """A row for each answer, in the fields of our own data sets' verdicts, and whether it passes at each step.

    `filling` and `verdict` are those of the last step; `verdict` is null where no tests were run.
    """
    return [
        {
            "task_id": prediction.task.case_id,
            "model": outcome.model,
            "filling": from_fence(prediction.reply.text),
            "verdict": None if results.verdict is None else str(results.verdict.outcome),
            "failing": None if results.verdict is None else results.verdict.failing,
            "steps": {step: results.at(step) for step in STEPS},
        }
        for prediction, results in zip(outcome.predictions, outcome.judged, strict=bool(outcome.judged))
    ]


def _steps(outcomes: Sequence[CodevOutcome]) -> Table:
    rows = []
    for outcome in outcomes:
        steps = steps_of(outcome.judged)
        cells = (
            f"{100 * passed / counted:.2f} ({passed}/{counted})" if counted else "-"
            for counted, passed in steps.values()
        )
        rows.append((outcome.mode, _name(outcome), *cells))
    return Table("passed, in per cent", ("scene", "model", *(_HEADS[step] for step in STEPS)), tuple(rows))


def _groups(outcomes: Sequence[CodevOutcome]) -> Table:
    rows = []
    for outcome in outcomes:
        values = table_row(outcome.scored(), "pass_rate")
        rows.append((outcome.mode, _name(outcome), *("-" if value is None else f"{value:.2f}" for value in values)))
    return Table("as the original, by group", ("scene", "model", *GROUP_NAMES, "Average"), tuple(rows))


def _name(outcome: CodevOutcome) -> str:
    return f"{outcome.model} (simulated)" if outcome.simulated else outcome.model
