"""Scores the answers of a run again, each read by another parser or algorithm on the state in which it was given."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from runner.errors import InputError
from runner.records import Completion, Scoring
from runner.run.replay import asked_in
from runner.run.resolve import split_names
from runner.run.suite import ReplayOptions, Rescoring, Say, StoredAnswer
from runner.run.variants import swapped, variants_on_record
from runner.storage.ledger import LaneKey, Question
from runner.storage.store import Row, Store
from runner.suites.nextedit.readings import Rereading, rereading_of
from runner.suites.nextedit.recorded_run import RecordedRun, read_by_workers
from runner.suites.nextedit.reread_steps import reread
from runner.suites.nextedit.score import scorings_of


@contextmanager
def replay(store: Store, source: Row, options: ReplayOptions, _say: Say) -> Iterator[Rescoring]:
    """How the answers of `source` are scored; those of local systems as they were.

    Raises InputError for unknown names, and for a run that asked no model.
    """
    on_record = variants_on_record(store, source["run_id"])
    local = [variant for variant in on_record if not variant.prompt]
    models = [variant for variant in on_record if variant.prompt]
    if not models and not options.as_recorded:
        raise InputError(
            f"run {source['run_id']}: asked no model, and no parser or algorithm reads the answers of local systems"
        )
    names = split_names(options.diff_apply, "--diff-apply") if options.diff_apply else ()
    rereading = rereading_of(models, options.parser, names)

    if rereading.parser is None:
        for option, value in (("--parser", options.parser), ("--diff-apply", options.diff_apply)):
            if value:
                raise InputError(f"{option}: nothing parses or applies the answers of agents; leave it out")

    def score(case_id: str, answers: Sequence[StoredAnswer]) -> Iterator[Scoring]:
        for lane in dict.fromkeys(LaneKey(answer.sut, answer.prompt, case_id) for answer in answers):
            own = [answer for answer in answers if (answer.sut, answer.prompt) == (lane.sut, lane.prompt)]
            yield from _scored(recorded, lane, own, rereading)

    again = models if rereading.parser is None else swapped(models, rereading.parser, rereading.algorithms)
    variants = (*local, *again)
    identity = {
        "parser": rereading.name,
        "diff_apply": ",".join(algorithm.name for algorithm in rereading.algorithms),
    }
    with read_by_workers(store, asked_in(source), rereading) as recorded:
        yield Rescoring(variants, identity, score)
    recorded.say_left_out()


def _scored(
    recorded: RecordedRun, lane: LaneKey, answers: Sequence[StoredAnswer], rereading: Rereading
) -> Iterator[Scoring]:
    """The scorings of one replay, by each algorithm; none where it is left out."""
    texts = {Question(lane, answer.step, answer.mode, answer.number): answer.completion for answer in answers}

    async def answer_of(question: Question) -> Completion | None:
        """The answer with its clocks and cost on record, and with the text that is to be read."""
        known, reply = texts.get(question), await recorded.record.recorded(question)
        if known is None or reply is None:
            return None
        return replace(reply, text=known.text, finish_reason=known.finish_reason)

    played = asyncio.run(recorded.play(lane, answer_of))
    if played is None:
        return
    if not lane.prompt:
        yield from scorings_of(played, "", "")
        return
    commit = recorded.commits[lane.case_id]
    for algorithm, reading in rereading.readings():
        again = asyncio.run(reread(commit, played, replace(reading, pool=recorded.plan.pool), recorded.plan.leak))
        yield from scorings_of(again, rereading.name, algorithm)
