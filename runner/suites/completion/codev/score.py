"""What is kept of an answer to Codev-Bench's task, and what its result is measured against."""

from collections.abc import Callable

from runner.json_texts import stored_json
from runner.metrics.sample import Sample
from runner.records import Completion, Outcome, Scoring
from runner.run.replay import asked_in
from runner.storage.rows import detail_of, to_json
from runner.storage.store import Row, Store
from runner.suites.completion.codev.rules import PARSER, response_of
from runner.suites.completion.codev.tasks import CodevTask


def scoring_of(task: CodevTask, completion: Completion) -> Scoring:
    """An answer with its response; the tests come later, when all answers are there."""
    return Scoring(
        outcome=Outcome.UNTESTED,
        valid=True,
        parser=PARSER,
        detail=to_json({"response": response_of(completion.text), "middle": task.middle}),
        answer_id=completion.answer_id,
    )


def samples(store: Store, run: Row) -> Callable[[Row], Sample | None]:
    """The sample of each scoring: from the file with nothing in the hole to the one with the response in it."""
    sql = "SELECT content_id FROM cases WHERE run_id = ? AND case_id = ?"
    answers_of = asked_in(run)

    def sample_of(row: Row) -> Sample | None:
        stored = stored_json(store.text(store.rows(sql, answers_of, row["case_id"])[0]["content_id"]) or "{}")
        prefix, suffix = (_tested(stored, name) for name in ("prefix", "suffix"))
        detail = detail_of(row)
        origin, truth, filled = (f"{prefix}{text}{suffix}" for text in ("", detail["middle"], detail["response"]))
        return Sample(origin, (truth,), filled, "python")

    return sample_of


def _tested(stored: dict[str, str], name: str) -> str:
    """What really stands around the hole, or what is shown of it where the row says nothing else."""
    text = stored.get(f"test_{name}")
    return stored[name] if text is None else text
