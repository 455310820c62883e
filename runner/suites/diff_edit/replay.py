"""Scores the stored answers of a diff-edit run with another parser or other diff algorithms."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import cast

from parsers import DEFAULT_PARSER
from runner.calls import NATIVE, NATIVE_PARSER, XML, calls_of
from runner.records import Completion, Scoring
from runner.run.answer_scoring import AnswerScoring
from runner.run.diff_scoring import ValidityName
from runner.run.replay import asked_in
from runner.run.resolve import choose_algorithms, choose_parser, never_imported, split_names
from runner.run.suite import ReplayOptions, Rescoring, Say, StoredAnswer
from runner.run.variants import recorded_algorithms, swapped, variants_on_record
from runner.run.worker_pool import WorkerPool
from runner.storage.rows import config_of
from runner.storage.store import Row, Store
from runner.suites.diff_edit.score import stored_case


@contextmanager
def replay(store: Store, source: Row, options: ReplayOptions, say: Say) -> Iterator[Rescoring]:
    """How the answers of `source` are scored. Raises InputError for unknown names."""
    on_record = variants_on_record(store, source["run_id"])
    recorded = next((row.parser for row in on_record if calls_of(row.prompt) == XML), DEFAULT_PARSER)
    parser = choose_parser(options.parser or never_imported("--parser", recorded), say)
    native = choose_parser(NATIVE_PARSER, say)
    names = split_names(options.diff_apply, "--diff-apply") if options.diff_apply else recorded_algorithms(on_record)
    algorithms = choose_algorithms(names, say)
    validity = cast("ValidityName", config_of(source)["identity"]["validity"])
    answers_of = asked_in(source)

    def score(case_id: str, answers: Sequence[StoredAnswer]) -> Iterator[Scoring]:
        case = stored_case(store, answers_of, case_id)
        known: dict[tuple[str, str, str | None], tuple[Scoring, ...]] = {}
        for answer in answers:
            calls = calls_of(answer.prompt)
            key = (calls, answer.completion.text, answer.completion.finish_reason)
            if key not in known:
                # Answers of one text are scored once.
                plain = Completion(answer.completion.text, finish_reason=answer.completion.finish_reason)
                known[key] = loop.run(scorings[calls].scorings(case, plain))
            yield from (replace(scored, answer_id=answer.answer_id) for scored in known[key])

    identity = {"parser": parser.name, "diff_apply": ",".join(algorithm.name for algorithm in algorithms)}
    with WorkerPool() as pool, asyncio.Runner() as loop:
        scorings = {
            XML: AnswerScoring(parser, algorithms, validity, pool),
            NATIVE: AnswerScoring(native, algorithms, validity, pool),
        }
        yield Rescoring(swapped(on_record, parser, algorithms, native), identity, score)
