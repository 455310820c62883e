"""A suite outside the package, as a third party would write one: a case is a word that is to be written in capitals."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from runner.errors import InputError
from runner.metrics.sample import Sample
from runner.records import Outcome, Result, Scoring
from runner.report.run_report import Report
from runner.report.summary import Edits, summarize, summary_data
from runner.report.tables import document
from runner.run.engine import Lane
from runner.run.options import AskOptions
from runner.run.plan import Plan, Workload
from runner.run.protocols import Ask
from runner.run.replay import asked_in
from runner.run.resolve import choose_suts, split_models
from runner.run.session import lane_keys
from runner.run.suite import Attempts, Prepared, ReplayOptions, Rescoring, Say, StoredAnswer, Suite
from runner.run.variants import variants_on_record
from runner.storage.ledger import Question
from runner.storage.runs import CaseRow, RunPlan
from runner.storage.store import Row, Store
from runner.variant import Variant
from suts.sut import Message, Request, Truth

# How an answer is read: the word as it stands, or in whatever case it is written.
READINGS: dict[str, Callable[[str], str]] = {"exact": str, "any-case": str.upper}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToyOptions(AskOptions):
    """The options of the suite; `interrupts` are sent by the third attempt that is begun, as by Ctrl-C."""

    words: Path
    reading: str = "exact"
    interrupts: int = 0


@dataclass(frozen=True, slots=True)
class ToyDetail:
    """The words, and how answers are read."""

    words: tuple[str, ...]
    reading: str


def plan(options: ToyOptions, _say: Say) -> Plan[ToyDetail]:
    words = tuple(options.words.read_text(encoding="utf-8").split())
    if not words:
        raise InputError(f"{options.words}: has no words; write one on each line")
    suts = choose_suts(split_models(options.model_ids), options.builder, options.sampling)
    lanes = tuple(lane_keys([sut.name for sut in suts], [""], words))
    load = Workload(len(words), prompt_tokens=5 * len(words), answer_tokens=3, most_questions=len(words))
    detail = ToyDetail(words, options.reading)
    return Plan("toy", options, suts, lanes, options.quota, options.most_attempts, load, detail)


@contextmanager
def attempt(plan: Plan[ToyDetail], _say: Say) -> Iterator[Prepared]:
    detail, options = plan.detail, plan.options
    variants = [
        Variant(sut.name, "", detail.reading, "", "", "", "", sut.endpoint.base_url, sut.endpoint.simulated)
        for sut in plan.suts
    ]
    cases = [CaseRow(word, digest=word, content=word) for word in detail.words]
    digest = ",".join(detail.words)
    identity = {
        "suts": [sut.name for sut in plan.suts],
        "cases": digest,
        "reading": detail.reading,
        **options.asked_how,
    }
    run = RunPlan("toy", identity, options.settings, variants, cases, digest, name=options.name or None)
    yield Prepared(run, lambda _lanes: Attempts(attempts_of(plan), plan.suts, truth=truth_of(options.seed)))


def attempts_of(plan: Plan[ToyDetail]) -> Callable[[Lane, Ask, int], "asyncio.Future[Result]"]:
    begun = iter(range(1, 1_000_000))
    assert isinstance(plan.options, ToyOptions)
    interrupts = plan.options.interrupts

    async def attempt_lane(lane: Lane, ask: Ask, number: int) -> Result:
        if next(begun) == 3:
            for _ in range(interrupts):
                os.kill(os.getpid(), signal.SIGINT)
            # The handlers run when the loop comes round.
            await asyncio.sleep(0.01 * interrupts)
        word = lane.key.case_id
        request = Request("Answer with one word.", (Message("user", f"{word} in capitals?"),), plan.options.sampling)
        completion = await ask(request, number=number)
        scoring = score_answer(word, completion.text, plan.detail.reading)
        return Result(scoring.valid, (replace(scoring, answer_id=completion.answer_id),), completion.cost_usd)

    return attempt_lane  # type: ignore[return-value]  # any awaitable


def truth_of(seed: int) -> Callable[..., Truth]:
    def truth(question: Question, about: object = None) -> Truth:  # noqa: ARG001 - the Protocol names it
        word = question.lane.case_id
        return Truth(word, question.number, seed=seed, answer=word.upper(), wrong=word)

    return truth


def score_answer(word: str, text: str, reading: str) -> Scoring:
    """The scoring of an answer: several words are none."""
    written = READINGS[reading](text.strip())
    if len(written.split()) != 1:
        return Scoring(Outcome.NO_ANSWER, valid=False, parser=reading)
    outcome = Outcome.SOLVED if written == word.upper() else Outcome.UNSOLVED
    return Scoring(outcome, valid=True, parser=reading, edited=written)


def samples(store: Store, _run: Row) -> Callable[[Row], Sample | None]:
    def sample_of(row: Row) -> Sample | None:
        word: str = row["case_id"]
        return Sample(word, (word.upper(),), store.text(row["edited_id"]) or "", None)

    return sample_of


@contextmanager
def replay(store: Store, source: Row, options: ReplayOptions, _say: Say) -> Iterator[Rescoring]:
    if options.parser not in READINGS:
        raise InputError(f"--parser: {options.parser!r} is not known; give {' or '.join(READINGS)}")
    variants = [replace(variant, parser=options.parser) for variant in variants_on_record(store, asked_in(source))]

    def score(case_id: str, answers: Sequence[StoredAnswer]) -> Iterator[Scoring]:
        for answer in answers:
            scoring = score_answer(case_id, answer.completion.text, options.parser)
            yield replace(scoring, answer_id=answer.answer_id)

    yield Rescoring(variants, {"reading": options.parser}, score)


def report(store: Store, run: Row, edits: Edits | None = None) -> Report:
    summary = summarize(store, run, edits)
    return Report(summary_data(summary), document(summary), summary)


SUITE: Suite[ToyOptions, ToyDetail] = Suite("toy", plan, attempt, samples, replay, report)
