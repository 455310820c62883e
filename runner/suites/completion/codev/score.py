"""What is kept of an answer to Codev-Bench's task, and what its result is measured against."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from runner.execution.verdicts import VerdictKind
from runner.json_texts import stored_json
from runner.metrics.sample import Sample
from runner.records import Completion, Outcome, Scoring
from runner.run.replay import asked_in
from runner.storage.rows import detail_of, to_json
from runner.storage.store import Row, Store
from runner.suites.completion.codev.judging import BY_REPORT, STEPS, StepResults
from runner.suites.completion.codev.rules import PARSER, response_of
from runner.suites.completion.codev.tasks import short_digest

_NOTHING: Mapping[str, Any] = MappingProxyType({})
# What the detail of a scoring has beside the response, once the response is judged.
JUDGED = ("steps", "verdict", "failing", "seconds", "log")
_LOG_CHARACTERS = 600


def scoring_of(middle: str, completion: Completion, judged: Mapping[str, Any] = _NOTHING) -> Scoring:
    """An answer with its response and the truth; the tests come later, when all answers are there."""
    return judged_scoring(response_of(completion.text), middle, judged, completion.answer_id)


def judged_scoring(response: str, middle: str, judged: Mapping[str, Any], answer_id: int | None) -> Scoring:
    """A response with its verdict, if it is judged: in its whole file, by exit code and report."""
    passed = judged["steps"][BY_REPORT] if judged else None
    return Scoring(
        outcome=Outcome.UNTESTED if passed is None else Outcome.SOLVED if passed else Outcome.UNSOLVED,
        valid=True,
        parser=PARSER,
        error_text=_why(judged) if passed is False else None,
        scores={} if passed is None else {"pass": float(passed)},
        detail=to_json({"response": response, "middle": middle, **judged}),
        answer_id=answer_id,
    )


def findings_of(results: StepResults) -> dict[str, Any]:
    """What the checks found, as the detail of a scoring has it."""
    verdict = results.on_response
    values = (
        {step: results.at(step) for step in STEPS},
        None if verdict is None else str(verdict.outcome),
        None if verdict is None else verdict.failing,
        None if verdict is None else verdict.seconds,
        None if verdict is None else verdict.log[-_LOG_CHARACTERS:],
    )
    return dict(zip(JUDGED, values, strict=True))


def _why(judged: Mapping[str, Any]) -> str:
    if judged["verdict"] in {None, str(VerdictKind.PASS)}:
        return "a check that runs no test"
    return f"{judged['verdict']}: {judged['failing']}" if judged["failing"] else str(judged["verdict"])


def samples(store: Store, run: Row) -> Callable[[Row], Sample | None]:
    """The sample of each scoring: from the file with nothing in the hole to the one with the response in it."""
    answers_of = asked_in(run)

    def sample_of(row: Row) -> Sample | None:
        stored = stored_task(store, answers_of, row["case_id"])
        prefix, suffix = (_tested(stored, name) for name in ("prefix", "suffix"))
        detail = detail_of(row)
        origin, truth, filled = (f"{prefix}{text}{suffix}" for text in ("", detail["middle"], detail["response"]))
        return Sample(origin, (truth,), filled, "python")

    return sample_of


def case_digest(content: str) -> str | None:
    """The digest of a task from the row that a run keeps of it."""
    stored = stored_json(content)
    return short_digest(stored["prompt"] + stored["middle"])


def stored_task(store: Store, run_id: str, case_id: str) -> dict[str, str]:
    """The fields of a task as the run knew it."""
    (row,) = store.rows("SELECT content_id FROM cases WHERE run_id = ? AND case_id = ?", run_id, case_id)
    stored: dict[str, str] = stored_json(store.text(row["content_id"]) or "{}")
    return stored


def _tested(stored: dict[str, str], name: str) -> str:
    """What really stands around the hole, or what is shown of it where the row says nothing else."""
    text = stored.get(f"test_{name}")
    return stored[name] if text is None else text
