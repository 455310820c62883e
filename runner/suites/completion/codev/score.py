"""What is kept of an answer to Codev-Bench's task, and what its result is measured against."""

from collections.abc import Callable

from runner.json_texts import stored_json
from runner.metrics.sample import Sample
from runner.records import Completion, Outcome, Scoring
from runner.run.replay import asked_in
from runner.storage.rows import detail_of, to_json
from runner.storage.store import Row, Store
from runner.suites.completion.codev.rules import PARSER, response_of
from runner.suites.completion.codev.tasks import short_digest


def scoring_of(middle: str, completion: Completion) -> Scoring:
    """An answer with its response and the truth; the tests come later, when all answers are there."""
    return Scoring(
        outcome=Outcome.UNTESTED,
        valid=True,
        parser=PARSER,
        detail=to_json({"response": response_of(completion.text), "middle": middle}),
        answer_id=completion.answer_id,
    )


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
