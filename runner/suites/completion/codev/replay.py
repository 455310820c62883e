"""Why answers to Codev-Bench's tasks are not replayed, but to be held against their record."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from runner.errors import InputError
from runner.records import Scoring
from runner.run.replay import asked_in
from runner.run.suite import ReplayOptions, Rescoring, Say, StoredAnswer
from runner.run.variants import variants_on_record
from runner.storage.store import Row, Store
from runner.suites.completion.codev.score import scoring_of, stored_task
from runner.suites.completion.codev.verdicts_kept import stored_findings


@contextmanager
def replay(store: Store, source: Row, options: ReplayOptions, _say: Say) -> Iterator[Rescoring]:
    """How answers are scored as they were. Raises InputError otherwise: the original reads answers in one way."""
    if not options.as_recorded:
        raise InputError(
            f"run {source['run_id']}: Codev-Bench reads answers in one way; to check the predictions that were written"
            " again, give them to `evals completion codev --predictions`"
        )
    answers_of = asked_in(source)

    def score(case_id: str, answers: Sequence[StoredAnswer]) -> Iterator[Scoring]:
        middle = stored_task(store, answers_of, case_id).get("middle", "")
        for answer in answers:
            completion = replace(answer.completion, answer_id=answer.answer_id)
            yield scoring_of(middle, completion, stored_findings(store, answers_of, answer.answer_id))

    yield Rescoring(variants_on_record(store, source["run_id"]), {}, score)
