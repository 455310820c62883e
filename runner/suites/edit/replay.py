"""Scores the stored answers of an edit run with another parser or other diff algorithms.

The tests of files that no run of the database has judged are run again, in cells. Only Python's are: how another
language's tests are run is a command, and commands are not taken from a database.
"""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from parsers import DEFAULT_PARSER
from prompts import Prompt
from runner.errors import InputError
from runner.pool.ahead import Ahead
from runner.records import Completion, Scoring
from runner.run.replay import asked_in
from runner.run.resolve import choose_algorithms, choose_parser, never_imported, split_names
from runner.run.suite import ReplayOptions, Rescoring, Say, StoredAnswer
from runner.run.variants import swapped, variants_on_record
from runner.storage.store import Row, Store
from runner.suites.edit.answer_form import WHOLE_FILE, folder_form, form_of
from runner.suites.edit.rejudging import Verdicts
from runner.suites.edit.score import stored_problems
from runner.variant import AGENT_READING

# Answers that are files already: no parser and no algorithm reads them.
_FILES = (WHOLE_FILE, AGENT_READING)


@contextmanager
def replay(store: Store, source: Row, options: ReplayOptions, say: Say) -> Iterator[Rescoring]:
    """How the answers of `source` are scored. Raises InputError for unknown names, and where all answers are files."""
    on_record = variants_on_record(store, source["run_id"])
    files = [variant for variant in on_record if variant.parser in _FILES]
    calls = [variant for variant in on_record if variant not in files]
    agents = any(variant.parser == AGENT_READING for variant in files)
    if not calls and not options.as_recorded and (not agents or options.parser or options.diff_apply):
        raise InputError(
            f"run {source['run_id']}: its answers are whole files; there is no parser or algorithm to vary"
        )
    recorded_parser = calls[0].parser if calls else DEFAULT_PARSER
    parser = choose_parser(options.parser or never_imported("--parser", recorded_parser), say)
    if options.diff_apply:
        names = split_names(options.diff_apply, "--diff-apply")
    else:
        recorded = dict.fromkeys(variant.diff_algorithm for variant in calls)
        names = tuple(never_imported("--diff-apply", name) for name in recorded)
    algorithms = choose_algorithms(names, say)
    diff_form = form_of(Prompt("", "replace_in_file"), parser, algorithms)
    file_forms = {WHOLE_FILE: form_of(Prompt("", ""), parser, algorithms), AGENT_READING: folder_form()}
    forms = {variant.prompt: file_forms.get(variant.parser, diff_form) for variant in on_record}
    problems = stored_problems(store, asked_in(source))
    verdicts = Verdicts(store, source, options.judged)

    def ahead(case_id: str, answers: Sequence[StoredAnswer]) -> None:
        calls = (forms[answer.prompt].call(problems[case_id], numbered(answer)) for answer in answers)
        under_way.begin(zip((answer.answer_id for answer in answers), calls, strict=True))

    def score(case_id: str, answers: Sequence[StoredAnswer]) -> Iterator[Scoring]:
        problem = problems[case_id]
        for answer in answers:
            begun = under_way.take(answer.answer_id)
            read = begun or loop.run(forms[answer.prompt].scorings(problem, numbered(answer), pool))
            yield from (verdicts.judged(problem, scoring) for scoring in read)

    identity = {
        "parsers": [f"{parser.name}@{parser.digest}"],
        "diff_apply": [f"{algorithm.name}@{algorithm.digest}" for algorithm in algorithms],
    }
    variants = [*swapped(calls, parser, algorithms), *files]
    with options.computing.opened() as pool, asyncio.Runner() as loop:
        under_way = Ahead[tuple[Scoring, ...]](pool)
        yield Rescoring(variants, identity, score, ahead=None if options.computing.alone else ahead)


def numbered(answer: StoredAnswer) -> Completion:
    """Return an answer that names its row."""
    return replace(answer.completion, answer_id=answer.answer_id)
