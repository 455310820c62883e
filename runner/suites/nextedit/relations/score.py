"""Scores an answer about a pair of edits: the relation that it names, and whether people agree."""

from collections.abc import Callable

from runner.errors import InputError
from runner.metrics.sample import Sample
from runner.records import Completion, Outcome, Scoring
from runner.storage.rows import to_json
from runner.storage.store import Row, Store
from runner.suites.nextedit.order.pairs import PairQuestion, Relation, parse_relation
from runner.suites.nextedit.relations.record import PARSER


def scored(question: PairQuestion, completion: Completion) -> Scoring:
    """The scoring of an answer; one that names no relation is invalid."""
    relation = parse_relation(completion.text)
    return Scoring(
        outcome=_outcome(relation, question.right),
        valid=relation is not None,
        parser=PARSER,
        error_text=None if relation else "names no relation",
        detail=to_json({"relation": relation, "people": question.right}),
        answer_id=completion.answer_id,
    )


def _outcome(relation: Relation | None, right: Relation | None) -> Outcome:
    """Solved where a relation is named, and people, if they were asked, say so too: related or not."""
    if relation is None:
        return Outcome.NO_ANSWER
    agrees = right is None or (relation is Relation.NONE) == (right is Relation.NONE)
    return Outcome.SOLVED if agrees else Outcome.UNSOLVED


def samples(_store: Store, run: Row) -> Callable[[Row], Sample | None]:
    """Raise InputError: a relation is no edit."""
    raise InputError(f"run {run['run_id']}: its answers are relations of edits, and metrics score edits")
