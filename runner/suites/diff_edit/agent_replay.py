"""The answers of a run of coding agents scored again: from the differences of folders that they are."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace as changed

from runner.errors import InputError
from runner.records import Scoring
from runner.run.replay import asked_in
from runner.run.suite import ReplayOptions, Rescoring, StoredAnswer
from runner.run.tree_scoring import tree_scoring
from runner.run.variants import variants_on_record
from runner.storage.store import Row, Store
from runner.suites.diff_edit.score import stored_case
from runner.variant import AGENT_READING


def of_agents(store: Store, source: Row) -> bool:
    """Return whether a run on record asked agents."""
    return any(variant.parser == AGENT_READING for variant in variants_on_record(store, source["run_id"]))


@contextmanager
def agent_replay(store: Store, source: Row, options: ReplayOptions) -> Iterator[Rescoring]:
    """How the answers of `source` are scored. Raises InputError for a parser or an algorithm, which take no part."""
    for name, value in (("--parser", options.parser), ("--diff-apply", options.diff_apply)):
        if value:
            raise InputError(f"{name}: answers of agents are folders, which nothing parses or applies; leave it out")
    answers_of = asked_in(source)

    def score(case_id: str, answers: Sequence[StoredAnswer]) -> Iterator[Scoring]:
        case = stored_case(store, answers_of, case_id)
        for answer in answers:
            yield tree_scoring(case, changed(answer.completion, answer_id=answer.answer_id))

    yield Rescoring(variants_on_record(store, source["run_id"]), {"parser": AGENT_READING}, score)
