"""Scores the stored answers of a CodRep run with another parser."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from runner.errors import InputError
from runner.records import Scoring
from runner.run.replay import asked_in
from runner.run.resolve import choose_parser, never_imported
from runner.run.suite import ReplayOptions, Rescoring, Say, StoredAnswer
from runner.run.variants import variants_on_record
from runner.storage.store import Row, Store
from runner.suites.codrep.score import judge
from runner.suites.codrep.stored import stored_task


@contextmanager
def replay(store: Store, source: Row, options: ReplayOptions, say: Say) -> Iterator[Rescoring]:
    """How the answers of `source` are scored. Raises InputError for an unknown parser, and for a diff algorithm."""
    if options.diff_apply:
        raise InputError("--diff-apply: answers of this run are line numbers, not diffs; leave it out")
    answers_of = asked_in(source)
    on_record = variants_on_record(store, source["run_id"])
    parser = choose_parser(options.parser or never_imported("--parser", on_record[0].parser), say)

    def score(case_id: str, answers: Sequence[StoredAnswer]) -> Iterator[Scoring]:
        task = stored_task(store, answers_of, case_id)
        for answer in answers:
            completion = replace(answer.completion, answer_id=answer.answer_id)
            yield judge(task.target, completion, parser, task.seen(answer.prompt))

    variants = [replace(variant, parser=parser.name, parser_digest=parser.digest) for variant in on_record]
    yield Rescoring(variants, {"parser": f"{parser.name}@{parser.digest}"}, score)
