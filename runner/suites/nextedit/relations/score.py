"""Scores an answer about a pair of edits: the relation that it names, and whether people agree."""

from collections.abc import Callable

from runner.errors import InputError
from runner.json_texts import stored_json
from runner.metrics.sample import Sample
from runner.records import Completion, Outcome, Scoring
from runner.storage.rows import to_json
from runner.storage.store import Row, Store
from runner.suites.nextedit.order.pairs import Relation, parse_relation, question_digest, wording
from runner.suites.nextedit.relations.record import PARSER


def scored(right: Relation | None, completion: Completion) -> Scoring:
    """The scoring of an answer; one that names no relation is invalid. `right` is what people say, None if unknown."""
    relation = parse_relation(completion.text)
    return Scoring(
        outcome=_outcome(relation, right),
        valid=relation is not None,
        parser=PARSER,
        error_text=None if relation else "names no relation",
        detail=to_json({"relation": relation, "people": right}),
        answer_id=completion.answer_id,
    )


def _outcome(relation: Relation | None, right: Relation | None) -> Outcome:
    """Solved where a relation is named, and people, if they were asked, say so too: related or not."""
    if relation is None:
        return Outcome.NO_ANSWER
    agrees = right is None or (relation is Relation.NONE) == (right is Relation.NONE)
    return Outcome.SOLVED if agrees else Outcome.UNSOLVED


def case_digest(content: str) -> str | None:
    """The digest of a question, with the wording of this version, from the message that a run keeps."""
    return question_digest(wording(), stored_json(content)["messages"][0]["text"])


def samples(_store: Store, run: Row) -> Callable[[Row], Sample | None]:
    """Raise InputError: a relation is no edit."""
    raise InputError(f"run {run['run_id']}: its answers are relations of edits, and metrics score edits")
